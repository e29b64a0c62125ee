/* expect: verdict=verified stored=14 matched=1 transitions=15 atomic=0 depth=7 errors=0 */
chan q=[1] of {byte}; byte x; active proctype P(){ byte t; if :: q!1 :: q!2 fi; q?t; (t!=0); x=1; x=2; x=3 }
