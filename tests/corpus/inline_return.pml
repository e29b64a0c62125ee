/* An inline used as an expression's assignment target via return value.
   expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0
*/
byte x;
inline add(a, b) { return a + b }
active proctype P() { x = add(2, 3); assert(x == 5) }
