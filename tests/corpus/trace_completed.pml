/* The same with the trace at its end.
   expect: verdict=verified stored=6 matched=1 transitions=7 atomic=0 depth=4 errors=0
*/
chan q = [2] of { bit };
trace { q!1; q!0 }
active proctype P() { q!1; q!0 }
active proctype Q() { q?1; q?0; end: q?1 }
