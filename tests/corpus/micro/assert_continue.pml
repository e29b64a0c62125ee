/* expect: verdict=violated stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=1 */
byte x; active proctype P(){ x=1; assert(false); x=2; x=3 }
