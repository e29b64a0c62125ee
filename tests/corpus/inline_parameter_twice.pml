/* Of two parameters of one name the first is meant.
   expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0
*/
byte x;
inline f(a, b, a) { x = a + b }
active proctype P() { f(1, 2, 5); assert(x == 3) }
