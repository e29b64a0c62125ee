/* Declarations between statements are steps; with several names one step each.
   expect: verdict=verified stored=11 matched=0 transitions=11 atomic=0 depth=10 errors=0
*/
byte x;
active proctype P() { x = 1; byte a, b = 2; byte c = a + b + x; assert(c == 3); x = c; short z[2]; z[1] = -1; assert(z[0] == 0) }
