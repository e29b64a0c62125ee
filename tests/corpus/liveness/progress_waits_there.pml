/* A process that waits at a progress label for ever makes progress all the time.
   expect-liveness: property=- mode=non-progress fair=0 violated=0
*/
byte x;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { byte y; progress: (y == 1) }
