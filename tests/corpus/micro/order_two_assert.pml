/* expect: verdict=violated stored=20 matched=7 transitions=27 atomic=0 depth=6 errors=7 */
byte x; active proctype A(){ x=1; assert(x!=1) } active proctype B(){ x=2; assert(x!=2) }
