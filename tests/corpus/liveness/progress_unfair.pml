/* Non-progress only because one process is starved.
   expect-liveness: property=- mode=non-progress fair=0 violated=1
   expect-liveness: property=- mode=non-progress fair=1 violated=0
*/
byte x;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { byte y; do :: y = 1; progress: y = 0 od }
