/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0 */
byte g=2; active proctype A(){ byte k=g; byte m=k+1; g=9; k=m }
