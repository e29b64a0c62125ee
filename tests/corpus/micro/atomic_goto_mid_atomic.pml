/* expect: verdict=verified stored=3 matched=0 transitions=3 atomic=2 depth=4 errors=0 */
byte x; active proctype P(){ atomic{ x=1; goto L }; atomic{ x=5; L: x=2; x=3 } }
