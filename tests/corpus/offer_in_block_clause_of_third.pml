/* An offer inside a block asks the clause of a process that has nothing to do with it, and that clause fails. SPIN
   errs here: its C code has no answer to a division by zero or an index out of range, docs/spin-differences.md.

   expect: verdict=violated stored=7 matched=2 transitions=9 atomic=4 depth=7 errors=1
*/
byte g = 1, h = 1; chan q = [0] of { byte };
active proctype R() { atomic { q?_; h = 1 } end: false }
active proctype X() provided (5/(g+h) > 0) { end: false }
active proctype Y() { g = 0 }
active proctype A() { atomic { h = 0; q!1 } }
