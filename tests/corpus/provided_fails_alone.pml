/* Nothing but a clause is wrong here. SPIN errs here: what its C code does at a division by zero is undefined,
   docs/spin-differences.md

   expect: verdict=violated stored=7 matched=2 transitions=9 atomic=0 depth=4 errors=8
*/
byte g;

active proctype Judged() provided (1 / g == 1) { skip }
active proctype B() { skip }
active proctype C() { skip }
