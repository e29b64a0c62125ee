/* goto within a d_step.
   expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0
*/
byte x;
active proctype P() { d_step { x = 1; l1: x++; if :: x < 5 -> goto l1 :: else fi; x = 0 }; assert(x == 0) }
