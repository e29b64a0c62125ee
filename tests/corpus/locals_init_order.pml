/* Locals start from parameters, earlier locals and globals of the moment of the run.
   expect: verdict=verified stored=17 matched=6 transitions=23 atomic=0 depth=8 errors=0
*/
byte g = 1;
proctype P(byte a) { byte b = a + g; byte c = b * 2; byte d[2] = c; assert(d[1] == 2 * (a + 1) || g == 2) }
init { run P(3); g = 2; run P(4) }
