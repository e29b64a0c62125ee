/* A parameter that is a constant used as a guard, and an operator inside an argument.
   expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0
*/
byte x;
inline guard(c, r) { if :: c -> x = r :: else -> x = 0 fi }
active proctype P() { guard(x == 0 && 1, 7); guard(x > 9 || x < 5, 8); assert(x == 0) }
