/* An atomic that blocks is seen by the claim where it blocks.
   expect-liveness: property=never_one mode=acceptance fair=0 violated=1
   expect-liveness: property=never_three mode=acceptance fair=0 violated=0
*/
byte x, go;
active proctype P() { do :: atomic { x = 1; go == 1 -> go = 0; x = 3; x = 2; x = 0 } od }
active proctype Q() { do :: go == 0 -> go = 1 od }
ltl never_one { [] (x != 1) }
ltl never_three { [] (x != 3) }
