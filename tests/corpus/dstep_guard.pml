/* A d_step waits for its guard.
   expect: verdict=verified stored=9 matched=2 transitions=11 atomic=0 depth=6 errors=0
*/
byte x;
active proctype P() { d_step { x == 2 -> x = 3; x = 4 }; assert(x == 4) }
active proctype Q() { x = 1; x = 2 }
