/* A struct through a rendezvous channel.
   expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=7 errors=0
*/
typedef M { byte a; byte b };
chan q = [0] of { M };
active proctype S() { M m; m.a = 3; m.b = 4; q!m }
active proctype R() { M m; q?m; assert(m.a + m.b == 7) }
