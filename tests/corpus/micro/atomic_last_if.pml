/* expect: verdict=verified stored=5 matched=1 transitions=6 atomic=3 depth=5 errors=0 */
byte x; active proctype P(){ atomic{ x=1; if :: x=2 :: x=3 fi }; x=4 }
