/* expect: verdict=verified stored=3 matched=0 transitions=3 atomic=0 depth=2 errors=0 */
chan q=[2] of {byte}; byte x; active proctype P(){ d_step{ q!1; q!2; q?x } }
