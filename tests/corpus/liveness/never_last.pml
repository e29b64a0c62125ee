/* _last in a claim: the process that moves for ever.
   expect-liveness: property=- mode=acceptance fair=0 violated=1
   expect-liveness: property=- mode=acceptance fair=1 violated=0
*/
byte x;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { byte y; do :: y = 1 - y od }
never { do :: true :: _last == 0 -> break od; accept: do :: _last == 0 od }
