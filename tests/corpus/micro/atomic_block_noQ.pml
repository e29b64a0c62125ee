/* expect: verdict=violated stored=2 matched=0 transitions=2 atomic=1 depth=1 errors=1 */
byte x,y; active proctype P(){ atomic{ x=1; (y==1); x=2; x=3 } }
