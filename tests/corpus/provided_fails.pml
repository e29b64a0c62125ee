/* A clause that cannot be evaluated is an error of its own. SPIN errs here: what its C code does at a division by zero is
   undefined, docs/spin-differences.md

   expect: verdict=violated stored=6 matched=1 transitions=7 atomic=0 depth=4 errors=1
*/
byte x;

active proctype Judged() provided (1 / x) { skip }
active proctype Mender() { x = 1 }
