/* In the middle of the block everybody is asked whether he takes the message, and a clause fails if there is somebody who has
   it. SPIN errs here: what its C code does at a division by zero is undefined, docs/spin-differences.md

   expect: verdict=violated stored=8 matched=1 transitions=9 atomic=4 depth=7 errors=1
*/
byte g = 1;
chan q = [0] of { byte };

proctype Guarded() provided (1 / g == 1) { end: false }
active proctype Maker() { run Guarded() }
active proctype Taker() { byte x; atomic { q?x; g = 1 } }
active proctype Sender() { atomic { g = 0; q!1 } }
