/* expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0 */
byte g; active proctype P(){ g=1; byte k; k=g }
