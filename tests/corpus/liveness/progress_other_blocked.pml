/* The process with the progress label can be blocked for ever.
   expect-liveness: property=- mode=non-progress fair=0 violated=1
   expect-liveness: property=- mode=non-progress fair=1 violated=1
*/
byte x, lock;
active proctype P() { do :: lock == 0 -> x = 1 - x od }
active proctype Q() { lock == 2; do :: progress: skip; lock = lock od }
