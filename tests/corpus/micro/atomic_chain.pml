/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=2 depth=5 errors=0 */
byte x; active proctype P(){ atomic{ x=1; x=2 }; atomic{ x=3; x=4 } }
