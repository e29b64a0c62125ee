/* A trace that loops, with an end label.
   expect: verdict=verified stored=6 matched=1 transitions=7 atomic=0 depth=4 errors=0
*/
chan q = [2] of { bit };
trace { end: do :: q!1; q!0 od }
active proctype P() { q!1; q!0 }
active proctype Q() { q?1; q?0; end: q?1 }
