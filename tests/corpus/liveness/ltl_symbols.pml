/* The operators as symbols.
   expect-liveness: property=infinitely mode=acceptance fair=0 violated=0
   expect-liveness: property=until_holds mode=acceptance fair=0 violated=0
   expect-liveness: property=follows mode=acceptance fair=0 violated=0
   expect-liveness: property=eventually_always mode=acceptance fair=0 violated=1
*/
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
ltl infinitely { []<> (x == 2) }
ltl until_holds { (x < 3) U (x == 3) }
ltl follows { [] ((x == 1) -> <> (x == 3)) }
ltl eventually_always { <>[] (x > 0) }
