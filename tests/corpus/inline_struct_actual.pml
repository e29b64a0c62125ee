/* Refused: an actual parameter whose field begins like the formal name: SPIN's textual check refuses it, though
   nothing is wrong.
   expect: refused
*/
typedef A { byte x, next };
A a, s;
inline put(n) { s.x = n }
init { a.next = 3; put(a.next); assert(s.x == 3) }
