/* expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0 */
chan q=[4] of {byte,byte}; byte x=9; active proctype P(){ q!3,4; if :: q?x,5 -> skip :: q?x,4 -> x=x+10 fi; printf("%d\n",x) }
