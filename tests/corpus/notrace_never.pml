/* A notrace whose order never happens.
   expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0
*/
chan q = [2] of { byte };
notrace { q!2; q!2 }
active proctype P() { q!1; q!2 }
