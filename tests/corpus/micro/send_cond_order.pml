/* expect: verdict=verified stored=4 matched=1 transitions=5 atomic=0 depth=3 errors=0 */
chan q=[1] of {byte}; byte x; active proctype P(){ do :: q!1 :: q?x od }
