/* end in front of do marks every return to it.
   expect: verdict=verified stored=24 matched=10 transitions=34 atomic=0 depth=15 errors=0
*/
chan q = [0] of { byte };
active proctype Server() { byte n; end: do :: q?n -> n++; n = 0 od }
active proctype Client() { byte i; for (i : 1 .. 2) { q!i } }
