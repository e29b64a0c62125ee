/* expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0 */
byte x; inline f(v){ v=1; v=2 } active proctype P(){ f(x); x=3 }
