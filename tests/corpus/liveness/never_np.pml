/* np_ in a claim of one's own.
   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
byte x;
active proctype P() { do :: x < 2 -> x++ :: x == 2 -> progress: x = 0 od }
never { do :: true :: np_ && x == 1 -> break od }
