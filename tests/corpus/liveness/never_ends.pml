/* A claim that reaches its end: "claim violated", a safety error.
   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never { do :: x < 3 :: x == 3 -> break od }
