/* expect: verdict=verified stored=3 matched=2 transitions=5 atomic=0 depth=1 errors=0 */
chan q=[2] of {byte,byte}; active proctype P(){ do :: q!1,5; q?_,_ :: q!2,6; q?_,_ od }
