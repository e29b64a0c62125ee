/* The same at the proper end of all processes.
   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
byte x;
active proctype P() { x = 1; x = 2 }
never { do :: true :: x == 2 -> break od; accept: do :: x == 2 od }
