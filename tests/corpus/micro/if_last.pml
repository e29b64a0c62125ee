/* expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=3 errors=0 */
byte x; active proctype P(){ if :: x==0 -> x=1 :: x==0 -> x=2 fi }
