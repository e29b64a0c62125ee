/* An escape that is a d_step and fails behind its first statement, by an empty channel: the main statement is tried
   then. SPIN errs here: pan gives up at a d_step that blocks, docs/spin-differences.md.

   expect: verdict=violated stored=18 matched=6 transitions=24 atomic=0 depth=7 errors=1
*/
chan q = [1] of { byte }; byte x;
active proctype A() { { run K() } unless { d_step { x == 1; q?_; x = 2 } } }
proctype K() { skip }
active proctype C() { x = 1; q!1 }
