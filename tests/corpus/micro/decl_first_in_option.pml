/* expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=3 errors=0 */
byte g; active proctype P(){ if :: byte k=3; g=k :: g=7 fi }
