/* A send whose value nobody waits for is not executable.
   expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=5 errors=0
*/
chan q = [0] of { byte, byte };
active proctype S() { if :: q!1,1 :: q!2,2 fi }
active proctype R() { byte v; q?2,v; assert(v == 2) }
