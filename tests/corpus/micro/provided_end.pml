/* expect: verdict=verified stored=6 matched=2 transitions=8 atomic=0 depth=3 errors=0 */
byte x; active proctype P() provided (x==0) { x=1 } active proctype Q(){ skip }
