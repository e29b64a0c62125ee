/* expect: verdict=verified stored=14 matched=3 transitions=17 atomic=0 depth=8 errors=0 */
short x; active proctype P(){ select(x: -2..1); x=10 }
