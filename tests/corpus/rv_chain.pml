/* A chain of rendezvous through a process in the middle.
   expect: verdict=verified stored=9 matched=1 transitions=10 atomic=0 depth=11 errors=0
*/
chan a = [0] of { byte };
chan b = [0] of { byte };
active proctype S() { a!1; a!2 }
active proctype M() { byte v; end: do :: a?v -> b!v + 1 od }
active proctype R() { byte v; b?v; assert(v == 2); b?v; assert(v == 3) }
