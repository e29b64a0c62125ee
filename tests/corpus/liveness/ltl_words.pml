/* The operators as words: always, eventually, until, implies, and release, weakuntil.
   expect-liveness: property=infinitely mode=acceptance fair=0 violated=0
   expect-liveness: property=until_holds mode=acceptance fair=0 violated=1
   expect-liveness: property=follows mode=acceptance fair=0 violated=0
   expect-liveness: property=weak mode=acceptance fair=0 violated=0
   expect-liveness: property=released mode=acceptance fair=0 violated=0
*/
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
ltl infinitely { always eventually (x == 2) }
ltl until_holds { (x < 2) until (x == 3) }
ltl follows { always ((x == 1) implies eventually (x == 3)) }
ltl weak { (x < 3) weakuntil (x == 3) }
ltl released { (x == 3) release (x <= 3) }
