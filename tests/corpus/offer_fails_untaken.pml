/* An offer that nobody takes, and whose message cannot be computed. SPIN errs here: what its C code does at a division
   by zero is undefined, docs/spin-differences.md.

   expect: verdict=violated stored=8 matched=15 transitions=23 atomic=0 depth=5 errors=2
*/
byte x = 1, z; bit b;
chan r = [0] of { byte };
active proctype B() { end: do :: b = 1 - b :: z == 1 -> r?_ od }
active proctype D() { end: do :: b = 1 - b od }
active proctype P() { end: r!(10/x) }
active proctype A() { x = 0; x = 1 }
