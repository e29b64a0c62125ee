/* SPIN errs here: a rendezvous that stays executable is a step of both, so a run in which R never receives is not fair to R,
   though S moves. pan -a -f reports an acceptance cycle. See docs/spin-differences.md.

   expect-liveness: property=p mode=acceptance fair=0 violated=1
   expect-liveness: property=p mode=acceptance fair=1 violated=0
*/
chan c = [0] of { byte };
byte g, t;
active proctype R() { c?_; g = 1 }
active proctype S() { do :: c!0 :: t = 1 - t od }
ltl p { <> (g == 1) }
