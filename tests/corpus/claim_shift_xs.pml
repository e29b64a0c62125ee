/* A claim of sends that another process breaks, on a channel whose index is a shift.

   expect: verdict=violated stored=16 matched=6 transitions=22 atomic=0 depth=6 errors=2
*/
chan k[2] = [1] of { byte };
active proctype R() { chan own = k[0]; xs own; own!1; end: do :: own!1 od }
active proctype B() { endb: k[_pid >> 1]!2 }
active proctype S() { byte v; k[0]?v; assert(v == 1); end: do :: k[0]?v od }
