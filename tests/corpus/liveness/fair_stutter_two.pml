/* SPIN errs here: when P has come last n stays 1, when Q has come last n stays 2, and nothing can move any more: a run like
   that is fair. pan -a reports it, pan -a -f does not (nimble-code/Spin, issue 38). See docs/spin-differences.md.

   expect-liveness: property=settles mode=acceptance fair=0 violated=1
   expect-liveness: property=settles mode=acceptance fair=1 violated=1
*/
byte n;
active proctype P() { n = 1 }
active proctype Q() { n = 2 }
ltl settles { <> [] (n == 1) }
