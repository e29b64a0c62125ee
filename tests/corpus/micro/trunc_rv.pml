/* expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=7 errors=0 */
chan q=[0] of {byte}; chan r=[0] of {bit}; active proctype P(){ q!300; r!2 } active proctype Q(){ int a,b; q?a; r?b; printf("rv byte %d rv bit %d\n",a,b) }
