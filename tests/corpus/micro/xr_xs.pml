/* expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0 */
chan q=[1] of {byte}; byte x; active proctype P(){ xs q; q!1 } active proctype Q(){ xr q; q?x }
