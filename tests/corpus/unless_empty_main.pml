/* The main sequence is a single blocked statement.
   expect: verdict=verified stored=44 matched=23 transitions=67 atomic=0 depth=8 errors=0
*/
byte x;
active proctype P() { { (x == 5) } unless { x == 1 -> x = 2 }; x = 3 }
active proctype Q() { x = 1 }
active proctype R() { x = 5 }
