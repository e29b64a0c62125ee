/* timeout in a formula. The first run into it: A has set x, B has overwritten it, and neither can go on.

   expect-liveness: property=p mode=acceptance fair=0 violated=1
   expect-liveness: property=q mode=acceptance fair=0 violated=0
*/
byte x;
active proctype A() { x = 1; timeout; x = 2 }
active proctype B() { x = 3; x == 2 }
ltl p { [] (timeout -> x != 3) }
ltl q { [] (x == 0 -> !timeout) }
