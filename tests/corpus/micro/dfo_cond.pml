/* expect: verdict=verified stored=12 matched=1 transitions=13 atomic=0 depth=6 errors=0 */
byte x; active proctype P(){ byte t; if :: t=1 :: t=2 fi; (t>0); x=1; x=2; x=3 }
