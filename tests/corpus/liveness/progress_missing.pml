/* A loop without progress beside one with it.
   expect-liveness: property=- mode=non-progress fair=0 violated=1
*/
byte x;
active proctype P() { do :: x = 1 - x; x = x :: x = 0; progress: x = 1 od }
