/* expect: verdict=verified stored=8 matched=2 transitions=10 atomic=0 depth=5 errors=0 */
byte p; proctype A(){ skip } init{ p = run A(); assert(p==1) }
