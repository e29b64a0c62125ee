/* expect: verdict=verified stored=9 matched=3 transitions=12 atomic=11 depth=7 errors=0 */
byte x,y; active proctype P(){ atomic{ x=1; (y==1); x=2; x=3 } }
active proctype Q(){ y=1 }
