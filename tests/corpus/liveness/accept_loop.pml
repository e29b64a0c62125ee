/* An accept label on a loop that can go on for ever.
   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
byte x;
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> accept: x = 0 od }
