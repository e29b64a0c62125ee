/* Remote labels in ltl: mutual exclusion, and entering again and again.
   expect-liveness: property=mutex mode=acceptance fair=0 violated=0
   expect-liveness: property=enters mode=acceptance fair=0 violated=0
   expect-liveness: property=enters mode=acceptance fair=1 violated=0
*/
byte turn;
active [2] proctype P() { do :: turn == _pid -> cs: turn = 1 - turn od }
ltl mutex { [] !(P[0]@cs && P[1]@cs) }
ltl enters { []<> P[0]@cs }
