/* expect: verdict=violated stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=1 */
bool f[2]; active proctype P(){ f[0]=5; assert(f[0]==1) }
