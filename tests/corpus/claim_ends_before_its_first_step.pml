/*
 * The claim stands at an end label from the start, and cannot move.

   expect-liveness: property=- mode=acceptance fair=0 violated=1
*/
byte x;
active proctype P() { byte i; x = 1; i = 1; x = i }
never { end_s: do :: false od }
