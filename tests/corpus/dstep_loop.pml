/* A loop with a break in a d_step.
   expect: verdict=verified stored=13 matched=6 transitions=19 atomic=0 depth=6 errors=0
*/
byte x, n;
active [2] proctype P() { d_step { n = 0; do :: n < 10 -> n++; x = x + n :: else -> break od; n = 0 }; assert(x == 55 || x == 110) }
