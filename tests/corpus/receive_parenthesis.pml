/* q?a(b,c) and q!a(b,c) are another spelling.
   expect: verdict=verified stored=10 matched=2 transitions=12 atomic=0 depth=7 errors=0
*/
mtype = { data, stop };
chan q = [2] of { mtype, byte, byte };
active proctype S() { q!data(1, 2); q!stop(0, 0) }
active proctype R() { byte a, b; do :: q?data(a, b) -> assert(a + b == 3) :: q?stop(_, _) -> break od }
