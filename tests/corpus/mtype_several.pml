/* Several mtype declarations continue the numbering.
   expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0
*/
mtype = { a, b };
mtype = { c };
mtype x = c;
active proctype P() { assert(a == 2 && b == 1 && c == 3); x = a; x--; assert(x == b) }
