/* expect: verdict=violated stored=2 matched=0 transitions=2 atomic=0 depth=1 errors=1 */
chan q=[1] of {byte}; active proctype P(){ q!1; q!2 }
