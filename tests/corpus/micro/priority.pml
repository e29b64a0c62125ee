/* expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0 */
byte x; active proctype P() priority 5 { x=1; x=2 } active proctype Q() priority 1 { x=3; x=4 }
