/* Holds only when the second process is treated fairly.
   expect-liveness: property=done mode=acceptance fair=0 violated=1
   expect-liveness: property=done mode=acceptance fair=1 violated=0
*/
bool flag;
byte x;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { flag = true }
ltl done { <> flag }
