/* A local struct, initialised fields, compared field by field.
   expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0
*/
typedef P2 { byte x = 3; byte y = 4 };
active proctype P() { P2 a, b; a.x++; b.x = a.x; assert(b.x == a.x && a.y == b.y && b.x == 4) }
