/* expect: verdict=verified stored=8 matched=2 transitions=10 atomic=4 depth=8 errors=0 */
chan q=[0] of {byte}; byte x; active proctype A(){ atomic{ x=5; q!1; x=7; x=8 } } active proctype B(){ byte y; q?y; y=3 }
