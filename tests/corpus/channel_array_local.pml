/* A local channel array in two instances.
   expect: verdict=verified stored=43 matched=30 transitions=73 atomic=0 depth=12 errors=0
*/
active [2] proctype P() { chan c[2] = [1] of { bit }; byte i; c[i]!1; i++; c[i]!0; assert(len(c[0]) + len(c[1]) == 2); c[1 - i]?1 }
