/* The same with a look at a process that may not be there. SPIN errs here: pan does not say that the process is of
   another type, docs/spin-differences.md.

   expect: verdict=violated stored=16 matched=6 transitions=22 atomic=0 depth=9 errors=2
*/
byte x = 1;
proctype K() { skip }
active proctype P() { byte l; l = 1; end: do :: (P[2]:l == 0 && timeout) -> break od }
active proctype A() { run K(); _nr_pr == 2 -> skip }
