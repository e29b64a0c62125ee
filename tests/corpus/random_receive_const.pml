/* ?? takes the first message that matches its constants, from anywhere in the queue.
   expect: verdict=verified stored=15 matched=4 transitions=19 atomic=0 depth=10 errors=0
*/
mtype = { red, green };
chan q = [3] of { mtype, byte };
active proctype S() { q!red,1; q!green,2; q!red,3 }
active proctype R() { byte v; q??green,v; assert(v == 2); q??red,v; assert(v == 1); q??red,3 }
