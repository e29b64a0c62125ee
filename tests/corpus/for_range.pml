/* for over a range with expressions as bounds, one of them negative.
   expect: verdict=verified stored=23 matched=0 transitions=23 atomic=0 depth=22 errors=0
*/
byte n;
active proctype P() { short i; byte a = 2; for (i : a - 3 .. a + 1) { n++ } assert(n == 5); for (i : a .. a - 1) { n = 99 } assert(n == 5) }
