/* expect: verdict=verified stored=8 matched=1 transitions=9 atomic=0 depth=5 errors=0 */
byte x; active proctype P(){ byte t; if :: t=1 :: t=2 fi; x=1; t=0; x=2 }
