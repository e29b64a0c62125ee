/* expect: verdict=verified stored=7 matched=1 transitions=8 atomic=2 depth=8 errors=0 */
chan q=[0] of {byte}; byte x; active proctype A(){ atomic{ q!1; q!2; x=2 } } active proctype B(){ byte y; atomic { q?y; q?y; x=7 } }
