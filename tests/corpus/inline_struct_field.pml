/* An actual parameter that is a field, with a formal of an unrelated name.
   expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0
*/
typedef A { byte x, next };
A a, s;
inline put(value) { s.x = value; value++ }
init { a.next = 3; put(a.next); assert(s.x == 3 && a.next == 4) }
