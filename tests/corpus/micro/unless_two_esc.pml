/* expect: verdict=verified stored=8 matched=0 transitions=8 atomic=0 depth=4 errors=0 */
byte x; active proctype P(){ { x=1; x=2 } unless { if :: x==1 -> x=7 :: x==1 -> x=8 fi } }
