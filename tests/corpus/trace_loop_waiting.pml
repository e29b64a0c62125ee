/* A trace that loops is never at its end, unless an end label says so.
   expect: verdict=violated stored=6 matched=1 transitions=7 atomic=0 depth=4 errors=1
*/
chan q = [2] of { bit };
trace { do :: q!1; q!0 od }
active proctype P() { q!1; q!0 }
active proctype Q() { q?1; q?0; end: q?1 }
