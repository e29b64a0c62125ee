/* [] p is a safety property: SPIN makes an assert in the claim of it.
   expect-liveness: property=low mode=acceptance fair=0 violated=1
   expect-liveness: property=high mode=acceptance fair=0 violated=0
*/
byte x;
active proctype P() { do :: x < 5 -> x++ :: x > 3 -> x = 0 od }
ltl low { [] (x < 5) }
ltl high { [] (x < 6) }
