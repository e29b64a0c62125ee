/* expect: verdict=verified stored=9 matched=0 transitions=9 atomic=0 depth=8 errors=0 */
chan q=[4] of {byte,byte}; byte x,y; active proctype P(){ q!3,1; q!1,2; q!1,5; q??1,y; printf("y %d len %d\n",y,len(q)); q??x,y; printf("%d %d\n",x,y) }
