/* An actual parameter whose field begins like the formal name. SPIN's textual check refuses it, though nothing is
   wrong; pv takes it. SPIN errs here: docs/spin-differences.md
   expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0
*/
typedef A { byte x, next };
A a, s;
inline put(n) { s.x = n }
init { a.next = 3; put(a.next); assert(s.x == 3) }
