/* A trace that has come to its end: further events are errors.
   expect: verdict=violated stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=1
*/
chan q = [3] of { bit };
trace { q!1; q!0 }
active proctype P() { q!1; q!0; q!1 }
