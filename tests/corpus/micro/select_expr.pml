/* expect: verdict=verified stored=11 matched=2 transitions=13 atomic=0 depth=6 errors=0 */
byte n=3,x; active proctype P(){ select(x: 1..n); x=10 }
