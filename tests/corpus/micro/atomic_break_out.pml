/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=2 depth=5 errors=0 */
byte x; active proctype P(){ do :: atomic{ x==0 -> x=1; break; } od; x=9 }
