/* A struct with a channel array, filled by one process and emptied by another.
   expect: verdict=verified stored=53 matched=28 transitions=81 atomic=0 depth=13 errors=0
*/
typedef Box { chan c[2] = [2] of { byte }; byte n };
Box box;
active proctype A() { box.c[0]!1; box.c[1]!2; box.c[0]!3; box.n = 3 }
active proctype B() { byte v; do :: box.c[0]?v -> box.n = v :: box.c[1]?v -> skip :: timeout -> break od }
