/* expect: verdict=violated stored=5 matched=0 transitions=5 atomic=8 depth=12 errors=1 */
byte x; active proctype P(){ L: atomic{ x<4 -> x++; goto L } }
