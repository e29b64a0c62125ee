/* !! and ?? on the same queue.
   expect: verdict=verified stored=10 matched=0 transitions=10 atomic=0 depth=9 errors=0
*/
chan q = [3] of { byte, byte };
active proctype A() { q!!2,1; q!!1,1 }
active proctype B() { byte v; q??1,v; q!!3,v; q??2,v; q?3,v; assert(empty(q)) }
