/* expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0 */
proctype A(){ skip; skip } init{ run A() }
