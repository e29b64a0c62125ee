/* expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0 */
chan q=[1] of {byte}; chan r=[1] of {short}; int x,y; active proctype P(){ q!-1; q?x; r!-1; r?y; printf("%d %d\n",x,y) }
