/* expect: verdict=verified stored=14 matched=0 transitions=14 atomic=0 depth=13 errors=0 */
chan q=[4] of {byte,byte}; byte x,y; active proctype P(){ q!!3,1; q!!1,2; q!!2,0; q!!1,1; q?x,y; printf("%d %d\n",x,y); q?x,y; printf("%d %d\n",x,y); q?x,y; printf("%d %d\n",x,y);q?x,y; printf("%d %d\n",x,y) }
