/* expect: verdict=verified stored=17 matched=13 transitions=30 atomic=0 depth=3 errors=0 */
byte x; active proctype P(){ select(x: 8..21); x=10 }
