/* expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0 */
byte x; active proctype P(){ { if :: x==7 -> skip :: else -> x=1 fi; x=2 } unless { (x==1) -> x=9 } }
