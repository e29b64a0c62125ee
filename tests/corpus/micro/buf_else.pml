/* expect: verdict=verified stored=13 matched=3 transitions=16 atomic=0 depth=5 errors=0 */
chan q=[1] of {byte}; byte x; active proctype P(){ if :: q?x :: else -> x=5 fi } active proctype Q(){ q!1 }
