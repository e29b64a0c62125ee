/* A parameter that is a channel by its number. It is valid while W lives, and an error before and after. SPIN errs
   here: pan gives up at the first use of a number that is no channel, docs/spin-differences.md.

   expect: verdict=violated stored=39 matched=35 transitions=74 atomic=3 depth=10 errors=5
*/
byte x;
proctype W() { chan o = [1] of { byte }; skip }
proctype B(chan h) { h!5; end: false }
proctype Y() { x = 2; end: false }
proctype Z() { x = 1 }
init { atomic { run Y(); run B(1); run W(); run Z() } }
