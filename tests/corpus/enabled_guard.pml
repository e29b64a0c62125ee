/* enabled(pid) in a guard.
   expect: verdict=verified stored=8 matched=0 transitions=8 atomic=0 depth=7 errors=0
*/
byte x;
active proctype A() { (x == 1); x = 2 }
active proctype B() { if :: enabled(0) -> x = 5 :: !enabled(0) -> x = 1 fi; (x == 2) }
