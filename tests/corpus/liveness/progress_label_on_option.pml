/* A progress label on the first statement of an option marks the head of the loop, for all options.
   expect-liveness: property=- mode=non-progress fair=0 violated=0
*/
byte x;
active proctype P() { do :: x = 1 - x :: progress: x = 0 od }
