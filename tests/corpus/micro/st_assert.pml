/* expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0 */
byte x; active proctype P(){ x=1; assert(x==1); x=2 }
