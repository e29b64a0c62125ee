/* Nondeterminism in a d_step is resolved to the first executable option.
   expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0
*/
byte x;
active proctype P() { d_step { if :: x = 1 :: x = 2 fi; if :: x == 2 -> x = 20 :: x == 1 -> x = 10 fi }; assert(x == 10) }
