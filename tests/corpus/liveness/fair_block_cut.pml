/* B can always enter its block, so a run in which it never does is not fair. (With a bound on the depth the block may be cut
   off; that B can enter it stays true.)

   expect-liveness: property=p mode=acceptance fair=0 violated=1
   expect-liveness: property=p mode=acceptance fair=1 violated=0
*/
byte g, h;
active proctype A() { do :: h = 0 od }
active proctype B() { atomic { h == 0; g = 1 } }
ltl p { <> (g == 1) }
