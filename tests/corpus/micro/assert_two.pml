/* expect: verdict=violated stored=8 matched=1 transitions=9 atomic=0 depth=5 errors=3 */
byte x; active proctype P(){ if :: x=1 :: x=2 fi; assert(x==0); x=3; assert(x==0) }
