/* unsigned as a local and in a typedef.
   expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0
*/
typedef T { unsigned lo : 4; unsigned hi : 4 };
T t;
active proctype P() { unsigned k : 3 = 6; k = k + 3; t.lo = 17; t.hi = t.lo - 2; assert(k == 1 && t.lo == 1 && t.hi == 15) }
