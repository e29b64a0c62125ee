/* A claim of receives that another process breaks, on a channel whose index is a shift.

   expect: verdict=violated stored=28 matched=16 transitions=44 atomic=0 depth=7 errors=3
*/
chan k[2] = [2] of { byte };
active proctype R() { chan own = k[0]; byte y; xr own; own?y; assert(y == 1); end: do :: own?y od }
active proctype B() { byte v; endb: k[_pid >> 1]?v }
active proctype S() { k[0]!1; k[0]!2 }
