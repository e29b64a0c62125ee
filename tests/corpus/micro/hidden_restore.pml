/* expect: verdict=verified stored=8 matched=0 transitions=8 atomic=0 depth=4 errors=0 */
hidden byte h; byte x; active proctype P(){ if :: h=1; x=1 :: x=2 fi; assert(h==0 || x==1) }
