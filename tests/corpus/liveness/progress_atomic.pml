/* A progress label inside atomic is passed without a stop there.
   expect-liveness: property=- mode=non-progress fair=0 violated=1
*/
byte x;
active proctype P() { do :: atomic { x = 1; progress: x = 2; x = 0 } od }
