/* expect: verdict=verified stored=6 matched=2 transitions=8 atomic=0 depth=3 errors=0 */
byte x; active proctype P(){ select(x: 1..3); x=10 }
