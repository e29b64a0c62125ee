/* At a deadlock the system stutters, so that the claim can go on.
   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
byte x;
active proctype P() { x = 1; (x == 9) }
never { do :: true :: x == 1 -> goto accept_all od; accept_all: do :: x == 1 od }
