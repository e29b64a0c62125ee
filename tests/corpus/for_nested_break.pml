/* break inside a for leaves that for only.
   expect: verdict=verified stored=32 matched=0 transitions=32 atomic=0 depth=31 errors=0
*/
byte n;
active proctype P() { byte i, j; for (i : 0 .. 2) { for (j : 0 .. 5) { if :: j == i -> break :: else -> n++ fi } } assert(n == 3) }
