/* expect: verdict=verified stored=13 matched=6 transitions=19 atomic=0 depth=6 errors=0 */
chan q=[2] of {byte}; byte x; active proctype P(){ xs q; q!1 } active proctype R(){ q!1 } active proctype Q(){ xr q; q?x }
