/* expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0 */
mtype={a,b,c}; mtype m=a; active proctype P(){ m=b; assert(m==2); printf("%e %d\n",m,m) }
