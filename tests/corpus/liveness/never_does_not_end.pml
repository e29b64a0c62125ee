/* A claim that could end but never does.
   expect-liveness: property=- mode=acceptance fair=0 violated=0
*/
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never { do :: x < 4 :: x == 4 -> break od }
