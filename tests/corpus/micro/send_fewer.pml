/* expect: verdict=violated stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=1 */
chan q=[4] of {byte,byte}; byte x=9,y=9; active proctype P(){ q!3; q?x,y; printf("%d %d\n",x,y) }
