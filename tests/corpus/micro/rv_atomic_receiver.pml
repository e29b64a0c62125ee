/* expect: verdict=verified stored=6 matched=1 transitions=7 atomic=2 depth=7 errors=0 */
chan q=[0] of {byte}; byte x; active proctype A(){ q!1; x=7 } active proctype B(){ byte y; atomic{ q?y; x=1; x=2 } }
