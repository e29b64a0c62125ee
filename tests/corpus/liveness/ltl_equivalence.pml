/* Equivalence, negation and nested until.
   expect-liveness: property=equal mode=acceptance fair=0 violated=0
   expect-liveness: property=negated mode=acceptance fair=0 violated=0
   expect-liveness: property=nested mode=acceptance fair=0 violated=0
*/
byte x, y;
active proctype P() { do :: atomic { x = 1; y = 1 } ; atomic { x = 0; y = 0 } od }
ltl equal { [] (x == 1 <-> y == 1) }
ltl negated { ! <> (x == 1 && y == 0) }
ltl nested { [] ((x == 0) -> ((x == 0) U ((y == 1) U (x == 0)))) }
