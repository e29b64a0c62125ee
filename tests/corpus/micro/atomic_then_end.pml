/* expect: verdict=verified stored=3 matched=0 transitions=3 atomic=1 depth=3 errors=0 */
byte x; active proctype P(){ atomic{ x=1; x=2 } }
