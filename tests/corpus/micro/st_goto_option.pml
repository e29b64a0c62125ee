/* expect: verdict=verified stored=6 matched=1 transitions=7 atomic=0 depth=3 errors=0 */
byte x; active proctype P(){ if :: goto L :: x=5 fi; x=6; L: x=2 }
