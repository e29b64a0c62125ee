/* A receiver that is not provided cannot take part in a handshake.
   expect: verdict=verified stored=10 matched=3 transitions=13 atomic=0 depth=7 errors=0
*/
chan q = [0] of { byte };
bool open;
active proctype R() provided (open) { byte v; q?v; assert(v == 1) }
active proctype S() { q!1 }
active proctype O() { open = true }
