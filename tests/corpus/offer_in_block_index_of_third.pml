/* An offer inside a block asks a receive of a process that has nothing to do with it, and its index fails. SPIN
   errs here: its C code has no answer to a division by zero or an index out of range, docs/spin-differences.md.

   expect: verdict=violated stored=7 matched=2 transitions=9 atomic=4 depth=7 errors=1
*/
chan qs[2] = [1] of { byte }; byte g, h; chan q = [0] of { byte };
active proctype R() { atomic { q?_; h = 0 } end: false }
active proctype X() { end: qs[g+h]?_ }
active proctype Y() { g = 1 }
active proctype A() { atomic { h = 1; q!1 } }
