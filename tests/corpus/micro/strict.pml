/* expect: verdict=verified stored=2 matched=0 transitions=2 atomic=0 depth=1 errors=0 */
chan q=[1] of {byte}; active proctype P(){ q!1; end: (false) }
