/* Reply channels by rendezvous, both ways.
   expect: verdict=verified stored=25 matched=8 transitions=33 atomic=0 depth=12 errors=0
*/
chan ask = [0] of { chan };
active [2] proctype client() { chan rep = [0] of { byte }; byte v; ask!rep; rep?v; assert(v >= 1 && v <= 2) }
active proctype server() { chan c; byte n; end: do :: ask?c -> n++; c!n od }
