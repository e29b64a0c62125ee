/* A receive whose pattern has an index out of range, which only an offer brings to light. P alone is a persistent set and loops:
   what the proviso adds to it must not leave out the process whose look fails.

   expect: verdict=violated stored=12 matched=31 transitions=43 atomic=0 depth=10 errors=6
*/
byte z = 5, g, x, a[3];
chan c = [0] of { byte };
active proctype Q() { end: c?eval(a[z]) }
active proctype S() { end: c!1 }
active proctype R() { z = 1 }
active proctype W() { end: do :: x = 1 :: x = 2 :: (g == 1) -> z = 2 od }
active proctype V() { end: g == 2; g = 1; x = 3 }
active proctype P() { bit l; do :: l = 1 - l od }
