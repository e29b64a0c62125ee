/* A guard that waits for `timeout` behind an operand that can fail: the look at it is an error, whatever `timeout` is.
   SPIN errs here: what its C code does at a division by zero is undefined, docs/spin-differences.md.

   expect: verdict=violated stored=10 matched=3 transitions=13 atomic=0 depth=6 errors=1
*/
byte x = 1;
active proctype P() { byte l; l = 1; (10/x > 0 && timeout) }
active proctype A() { x = 0; x = 1 }
