/* Rendezvous from atomic to atomic: the receiver goes on.
   expect: verdict=verified stored=19 matched=6 transitions=25 atomic=12 depth=11 errors=0
*/
chan q = [0] of { byte };
byte x;
active proctype S() { atomic { x = 1; q!5; x = 3 } }
active proctype R() { byte v; atomic { q?v; assert(x == 1); x = v; x = x + 1 } }
active proctype W() { x = 7 }
