/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=1 depth=4 errors=0 */
byte x; active proctype P(){ atomic{ x=1; goto L; x=2 }; x=9; L: x=3 }
