/* expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0 */
chan q=[4] of {byte,byte}; byte x,y; active proctype P(){ q!3,1; q?[3,1]; q?<x,y>; printf("%d %d %d\n",x,y,len(q)) }
