/* expect: verdict=verified stored=9 matched=0 transitions=9 atomic=0 depth=8 errors=0 */
byte x; active proctype P(){ byte t; t=1; if :: (t>0) -> x=1 fi; x=2; x=3; t=5; x=t }
