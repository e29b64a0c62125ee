/* expect: verdict=verified stored=11 matched=4 transitions=15 atomic=0 depth=6 errors=0 */
byte x,y; active proctype P(){ { (y==1); x=1 } unless { x==5 } ; x=6 } active proctype Q(){ x=5; y=1 }
