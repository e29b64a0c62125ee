/* Elements of a channel array are channels of their own.
   expect: verdict=verified stored=31 matched=12 transitions=43 atomic=0 depth=18 errors=0
*/
chan q[3] = [1] of { byte };
active proctype A() { byte i; for (i : 0 .. 2) { q[i]!i } }
active proctype B() { byte v; q[2]?v; assert(v == 2 && len(q[0]) == 1); q[0]?v; q[1]?v; assert(v == 1) }
