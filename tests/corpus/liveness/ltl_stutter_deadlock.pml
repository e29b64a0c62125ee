/* <> p when the system deadlocks before p: violated by stuttering.
   expect-liveness: property=reaches mode=acceptance fair=0 violated=1
   expect-liveness: property=reaches mode=acceptance fair=1 violated=1
   expect-liveness: property=stays mode=acceptance fair=0 violated=0
*/
byte x;
active proctype P() { if :: x = 1 :: x = 2; (x == 3) fi }
ltl reaches { <> (x == 1) }
ltl stays { <>[] (x > 0) }
