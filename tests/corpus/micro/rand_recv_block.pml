/* expect: verdict=violated stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=1 */
chan q=[4] of {byte,byte}; active proctype P(){ byte b; q!1,1; q!2,2; q??2,b; assert(b==2 && len(q)==1); q??5,b }
