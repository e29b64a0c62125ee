/* An end label on a blocked send.
   expect: verdict=verified stored=2 matched=0 transitions=2 atomic=0 depth=1 errors=0
*/
chan q = [1] of { bit };
active proctype P() { do :: end: q!1 od }
