/* Precedence and associativity of the operators.
   expect: verdict=verified stored=12 matched=0 transitions=12 atomic=0 depth=11 errors=0
*/
int x;
active proctype P() { x = 2 + 3 * 4 - 8 / 4 % 3; assert(x == 12); x = 1 << 2 + 1; assert(x == 8); assert((6 & 3 == 2) == 0 || true); x = 10 - 4 - 3; assert(x == 3); x = (1 | 2 ^ 3 & 1); assert(x == 3); assert(1 < 2 == 1 && !0 == 1 && 5 > 3 != 0) }
