/* A sorted send finds its place with the values as they are given: 2 stands behind 1, though a bit field keeps 0 of it.

   expect: verdict=verified stored=35 matched=13 transitions=48 atomic=0 depth=8 errors=0
*/
byte x;
chan q = [3] of { bit, byte };
active proctype P() { bit b; q!1, 5; x = 2; q!!x, 3; q?b, x; assert(b == 1) }
active proctype Q() { x = 3 }
