/* An escape that is a d_step and fails behind its first statement, by a variable: the main statement is tried then.
   SPIN errs here: pan gives up at a d_step that blocks, docs/spin-differences.md.

   expect: verdict=violated stored=17 matched=5 transitions=22 atomic=0 depth=6 errors=4
*/
byte x, y;
active proctype P() { byte l; { x == 1; l = 1; false } unless { d_step { x == 1; y == 1; x = 2 } }; l == 0 }
active proctype B() { x = 1; y = 1 }
