/* expect: verdict=verified stored=11 matched=0 transitions=11 atomic=0 depth=10 errors=0 */
byte x,i; byte a[2]; active proctype P(){ for (i in a) { x++ } x=10 }
