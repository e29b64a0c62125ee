/* A system that stops in a valid end state while the trace has not come to its end.
   expect: verdict=violated stored=3 matched=0 transitions=3 atomic=0 depth=2 errors=1
*/
chan q = [2] of { bit };
trace { q!1; q!0 }
active proctype P() { q!1 }
active proctype Q() { q?1; end: q?0 }
