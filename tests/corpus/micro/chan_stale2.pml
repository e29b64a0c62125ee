/* expect: verdict=verified stored=7 matched=2 transitions=9 atomic=0 depth=3 errors=0 */
chan q=[2] of {byte}; active proctype P(){ do :: q!1; q!2; q?_; q?_ :: q!2; q!1; q?_; q?_ od }
