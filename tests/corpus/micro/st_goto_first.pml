/* expect: verdict=verified stored=3 matched=0 transitions=3 atomic=0 depth=2 errors=0 */
byte x; active proctype P(){ goto L; x=5; L: x=2 }
