/* expect: verdict=verified stored=6 matched=1 transitions=7 atomic=4 depth=6 errors=0 */
byte x,y; active proctype P(){ atomic{ (y==1); x=2; x=3 } }
active proctype Q(){ y=1 }
