/* expect: verdict=verified stored=1 matched=2 transitions=3 atomic=0 depth=1 errors=0 */
chan q=[0] of {byte}; active proctype P(){ do :: q!1 :: q!2 od } active proctype Q(){ do :: q?_ od }
