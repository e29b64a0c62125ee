/* A property over processes that come and go.
   expect-liveness: property=one mode=acceptance fair=0 violated=0
   expect-liveness: property=all mode=acceptance fair=0 violated=0
   expect-liveness: property=all mode=acceptance fair=1 violated=0
*/
byte alive, done;
proctype W() { alive++; alive--; done++ }
active proctype P() { byte i; do :: i < 3 -> i++; run W(); (done == i) :: i == 3 -> break od }
ltl one { [] (alive <= 1) }
ltl all { <>[] (done == 3) }
