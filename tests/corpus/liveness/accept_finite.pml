/* An accept label that is passed once only: no cycle.
   expect-liveness: property=- mode=acceptance fair=0 violated=0
   expect-liveness: property=- mode=acceptance fair=1 violated=0
*/
byte x;
active proctype P() { x = 1; accept: x = 2; do :: x == 2 -> x = 3 :: x == 3 -> x = 2 od }
