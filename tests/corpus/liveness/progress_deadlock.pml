/* A deadlock is not a non-progress cycle.
   expect-liveness: property=- mode=non-progress fair=0 violated=0
*/
byte x;
active proctype P() { x = 1; (x == 2) }
