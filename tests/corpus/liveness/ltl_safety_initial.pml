/* A property of the first state, and one that the first state breaks.
   expect-liveness: property=good mode=acceptance fair=0 violated=0
   expect-liveness: property=bad mode=acceptance fair=0 violated=1
*/
byte x = 1;
active proctype P() { x = 2 }
ltl good { x == 1 }
ltl bad { x == 2 }
