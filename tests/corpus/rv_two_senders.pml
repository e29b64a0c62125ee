/* Two senders and two receivers on one rendezvous channel.
   expect: verdict=verified stored=26 matched=13 transitions=39 atomic=0 depth=10 errors=0
*/
chan q = [0] of { byte };
byte sum;
active [2] proctype S() { q!_pid + 1 }
active [2] proctype R() { byte v; q?v; sum = sum + v }
