/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=8 depth=11 errors=0 */
byte x; active proctype P(){ atomic{ x=1; L: x=x+1; if :: x<4 -> goto L :: else fi; x=9 }; x=10 }
