/* A cycle through the accept label of one process while the other can always move.
   expect-liveness: property=- mode=acceptance fair=0 violated=1
   expect-liveness: property=- mode=acceptance fair=1 violated=1
*/
byte x;
active proctype P() { do :: accept: x = 1 - x od }
active proctype Q() { byte y; do :: y = 1 - y od }
