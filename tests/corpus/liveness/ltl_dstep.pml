/* Inside a d_step nobody looks.
   expect-liveness: property=never_one mode=acceptance fair=0 violated=0
*/
byte x;
active proctype P() { do :: d_step { x = 1; x = 2; x = 0 } od }
ltl never_one { [] (x != 1) }
