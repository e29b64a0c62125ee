/* A failing assertion inside atomic and inside d_step; the search goes on behind it.
   expect: verdict=violated stored=19 matched=8 transitions=27 atomic=8 depth=8 errors=12
*/
byte x;
active proctype P() { atomic { x = 1; assert(x == 0); x = 2 }; d_step { x = 3; assert(x == 2); x = 4 } }
active proctype Q() { byte y; y = x; assert(y != 2) }
