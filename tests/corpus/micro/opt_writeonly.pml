/* expect: verdict=verified stored=11 matched=0 transitions=11 atomic=0 depth=5 errors=0 */
byte h; byte x; active proctype P(){ if :: h=1 :: h=2 fi; x=1; if :: x==1 -> x=2 fi }
