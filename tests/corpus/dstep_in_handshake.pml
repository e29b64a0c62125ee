/* Nobody receives from c, so the escape cannot be taken, and x is set. SPIN errs here: a d_step that begins with assert executes while the offer of
   the escape is half done, docs/spin-differences.md. With skip in front of the assertion it has these counts.

   expect: verdict=violated stored=4 matched=4 transitions=8 atomic=0 depth=3 errors=1
*/
chan c = [0] of { byte };
byte x;
active proctype R() { (x == 1); assert(false) }
active proctype Q() { { x = 1 } unless { c!1 }; false }
active proctype S() { end: do :: d_step { assert(true); skip } od }
