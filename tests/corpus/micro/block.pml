/* expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0 */
byte x; active proctype P(){ x=1; { x=2; x=3 }; x=4 }
