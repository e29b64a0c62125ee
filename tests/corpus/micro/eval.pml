/* expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0 */
chan q=[4] of {byte}; byte x=2,y; active proctype P(){ q!3; q!2; if :: q?eval(x) -> y=1 :: q?3 -> y=2 fi; printf("%d\n",y) }
