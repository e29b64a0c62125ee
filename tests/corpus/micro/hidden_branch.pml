/* expect: verdict=verified stored=5 matched=1 transitions=6 atomic=0 depth=4 errors=0 */
hidden byte h; byte x; active proctype P(){ if :: h=1 :: h=2 fi; x=1; assert(h==1) }
