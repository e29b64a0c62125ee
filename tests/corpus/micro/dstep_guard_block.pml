/* expect: verdict=verified stored=6 matched=1 transitions=7 atomic=0 depth=4 errors=0 */
byte x,y; active proctype P(){ d_step{ (y==1); x=2 } }
active proctype Q(){ y=1 }
