/* The step behind an offer that nobody ever takes is never executed.

   expect: verdict=verified stored=1 matched=0 transitions=1 atomic=0 depth=1 errors=0
*/
chan c = [0] of { byte };
active proctype Q() { byte y; end: c!1; y = 3; assert(y == 3) }
