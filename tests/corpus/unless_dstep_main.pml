/* A d_step in the main sequence is one step: no escape from its inside.
   expect: verdict=verified stored=20 matched=4 transitions=24 atomic=0 depth=6 errors=0
*/
byte x, e;
active proctype P() { { d_step { x = 1; x = 2 }; d_step { x = 3; x = 4 } } unless { e -> assert(x == 0 || x == 2 || x == 4) } }
active proctype Q() { e = 1 }
