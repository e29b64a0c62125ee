/* expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0 */
byte x; active proctype P(){ timeout; x=4 } active proctype Q(){ x=1; x=2 }
