/* A claim that blocks cuts the search off; no violation.
   expect-liveness: property=- mode=acceptance fair=0 violated=0
*/
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> accept: x = 0 od }
never { x == 0; x < 2; x < 2; x == 5 }
