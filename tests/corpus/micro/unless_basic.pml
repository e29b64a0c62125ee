/* expect: verdict=verified stored=22 matched=8 transitions=30 atomic=0 depth=6 errors=0 */
byte x,y; active proctype P(){ { x=1; x=2; x=3 } unless { (y==1) -> x=9 } } active proctype Q(){ y=1 }
