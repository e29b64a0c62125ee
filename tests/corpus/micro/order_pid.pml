/* expect: verdict=violated stored=15 matched=10 transitions=25 atomic=0 depth=6 errors=17 */
active proctype A(){ assert(_pid!=0) } active proctype B(){ assert(_pid!=1) } active proctype C(){ assert(_pid!=2) }
