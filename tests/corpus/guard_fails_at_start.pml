/* A guard that fails is neither enabled nor blocked; the others can mend it, and must not hide it. SPIN errs here: what its C
   code does at a division by zero is undefined, docs/spin-differences.md

   expect: verdict=violated stored=35 matched=21 transitions=56 atomic=5 depth=10 errors=2
*/
byte x, b, c;

active proctype Guarded() { 10 / x > 5; b = 1 }
active proctype Waiter() { c = 1; atomic { b == 1 -> x = 2 } }
active proctype Mender() { x = 1; c = 2 }
