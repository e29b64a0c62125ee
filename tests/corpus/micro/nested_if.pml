/* expect: verdict=verified stored=10 matched=0 transitions=10 atomic=0 depth=3 errors=0 */
byte x; active proctype P(){ if :: if :: x=1 :: x=2 fi :: x=3 fi; x=x+10 }
