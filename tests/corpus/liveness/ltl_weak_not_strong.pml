/* Weak fairness is not enough: the guard of the second process is open again and again only.
   expect-liveness: property=done mode=acceptance fair=0 violated=1
   expect-liveness: property=done mode=acceptance fair=1 violated=1
*/
bool flag;
byte x;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { x == 1 -> flag = true }
ltl done { <> flag }
