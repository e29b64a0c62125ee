/* Q can receive only inside a block of P: it cannot move by itself while P does something else, so a run in which P never
   takes that block is fair to Q.

   expect-liveness: property=p mode=acceptance fair=0 violated=1
   expect-liveness: property=p mode=acceptance fair=1 violated=1
*/
byte x;
chan c = [0] of { byte };
active proctype P() { do :: x = 1 - x :: atomic { x < 2; c!1 } od }
active proctype Q() { byte y; do :: c?y od }
ltl p { <> (Q:y == 1) }
