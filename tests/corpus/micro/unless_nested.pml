/* expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0 */
byte x; active proctype P(){ { { x=1; x=2 } unless { (x==1) -> x=8; x=7 } } unless { (x==8) -> x=9 } }
