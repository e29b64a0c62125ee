/* expect: verdict=verified stored=6 matched=1 transitions=7 atomic=4 depth=8 errors=0 */
chan q=[0] of {byte}; byte x; active proctype A(){ atomic{ q!1; x=7; x=8 } } active proctype B(){ byte y; atomic{ q?y; x=1; x=2 } }
