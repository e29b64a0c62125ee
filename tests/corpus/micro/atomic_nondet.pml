/* expect: verdict=verified stored=7 matched=0 transitions=7 atomic=2 depth=4 errors=0 */
byte x; active proctype P(){ atomic{ if :: x=1 :: x=2 fi }; x=x+10 }
