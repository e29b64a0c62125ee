/* An inline calls another with its own parameter.
   expect: verdict=verified stored=9 matched=0 transitions=9 atomic=0 depth=8 errors=0
*/
byte x, y;
inline inc(v) { v = v + 1 }
inline twice(w) { inc(w); inc(w) }
inline both(a, b) { twice(a); twice(b) }
active proctype P() { both(x, y); twice(x); assert(x == 4 && y == 2) }
