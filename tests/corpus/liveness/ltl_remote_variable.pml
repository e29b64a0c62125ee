/* A remote variable in ltl.
   expect-liveness: property=grows mode=acceptance fair=0 violated=0
   expect-liveness: property=bounded mode=acceptance fair=0 violated=0
*/
active proctype P() { byte n; do :: n < 3 -> n++ :: n == 3 -> n = 0 od }
ltl grows { []<> (P[0]:n == 3) }
ltl bounded { [] (P:n <= 3) }
