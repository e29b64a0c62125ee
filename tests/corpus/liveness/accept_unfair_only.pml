/* The only cycle leaves a process out that could always end it: gone with weak fairness.
   expect-liveness: property=- mode=acceptance fair=0 violated=1
   expect-liveness: property=- mode=acceptance fair=1 violated=0
*/
bool stop;
byte y;
active proctype P() { do :: !stop -> accept: y = 1 - y :: stop -> break od }
active proctype Q() { stop = true }
