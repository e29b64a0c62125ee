/* SPIN errs here: B can move, so timeout does not hold in the first state, and the claim that waits for it is blocked. pan
   lets timeout hold also where it is the claim that cannot move, and reports the end of the claim. See
   docs/spin-differences.md.

   expect-liveness: property=- mode=acceptance fair=0 violated=0
*/
byte x;
active proctype A() { timeout; false }
active proctype B() { x = 1; false }
never { timeout && x == 0 }
