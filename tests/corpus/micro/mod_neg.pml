/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0 */
int x; active proctype P(){ x=-7%3; printf("%d %d %d\n",x,-7/2,7%-3) }
