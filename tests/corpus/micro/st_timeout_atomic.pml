/* expect: verdict=verified stored=13 matched=3 transitions=16 atomic=8 depth=8 errors=0 */
byte x; active proctype P(){ atomic{ x=4; timeout; x=5; x=6 } } active proctype Q(){ x=1; x=2 }
