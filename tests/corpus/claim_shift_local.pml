/* A claim that is broken through a local array of channels, indexed by a shift.

   expect: verdict=violated stored=57 matched=50 transitions=107 atomic=0 depth=12 errors=3
*/
chan q = [2] of { byte };
chan u = [2] of { byte };
active proctype M() { run R(q); run B(q,u); run S(q) }
proctype R(chan i) { byte y; xr i; i?y; assert(y == 1); end: do :: i?y od }
proctype B(chan i, j) { byte v; chan t[2]; t[0] = i; t[1] = j; endb: t[_pid >> 2]?v }
proctype S(chan i) { i!1; i!2 }
