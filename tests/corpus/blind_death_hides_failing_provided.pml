/* The death of a process is seen if its clause can fail: a dead one is not asked any more. SPIN errs here: its C
   code has no answer to a division by zero or an index out of range, docs/spin-differences.md.

   expect: verdict=violated stored=10 matched=1 transitions=11 atomic=0 depth=5 errors=2
*/
byte x = 1;
proctype A() { end: x == 5 }
active proctype Z() { timeout -> x = 0 }
active proctype Q() { run A() }
active proctype P() provided (1/x) { skip }
