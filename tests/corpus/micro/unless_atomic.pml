/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=1 depth=4 errors=0 */
byte x,y; active proctype P(){ { atomic{ x=1; x=2; x=3} } unless { (x==1) -> x=9 } }
