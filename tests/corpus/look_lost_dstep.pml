/* The guard of a d_step with an index that is out of range until R mends it. P alone is a persistent set and loops:
   what the proviso adds to it must not leave out the process whose look fails.

   expect: verdict=violated stored=12 matched=31 transitions=43 atomic=0 depth=9 errors=6
*/
byte z = 5, g, x, a[3];
active proctype Q() { end: d_step { (a[z] == 1); x = 1 } }
active proctype R() { z = 1 }
active proctype W() { end: do :: x = 1 :: x = 2 :: (g == 1) -> z = 2 od }
active proctype V() { end: g == 2; g = 1; x = 3 }
active proctype P() { bit l; do :: l = 1 - l od }
