/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0 */
int x; active proctype P(){ x=1<<3; printf("%d %d %d %d\n",x,-8>>1,5&3,5^3) }
