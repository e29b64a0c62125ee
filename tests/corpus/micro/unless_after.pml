/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0 */
byte x; active proctype P(){ { x=1 } unless { (x==1) -> x=9 }; x=5 }
