/* expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0 */
chan q=[2] of {int}; active proctype P(){ byte b; bit c; q!300; q?b; q!2; q?c; printf("byte %d bit %d\n",b,c) }
