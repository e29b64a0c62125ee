/* select with constants is one step per value.
   expect: verdict=verified stored=17 matched=0 transitions=17 atomic=0 depth=4 errors=0
*/
byte v;
active proctype P() { select(v : 2 .. 5); assert(v >= 2 && v <= 5); v = v }
