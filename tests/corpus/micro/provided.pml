/* expect: verdict=verified stored=7 matched=1 transitions=8 atomic=0 depth=5 errors=0 */
byte x; active proctype P() provided (x==0) { x=1; x=2 } active proctype Q(){ x==1; x=0 }
