/* The number 1 handed on as a channel: which process owns channel 1 hangs on the order of births.

   expect: verdict=violated stored=14 matched=1 transitions=15 atomic=0 depth=7 errors=1
*/
proctype W1() { chan o = [1] of { byte }; end: false }
proctype W2() { chan o = [2] of { byte }; o!1; end: false }
proctype C() { run W1(); end: false }
proctype B(chan h) { timeout -> assert(empty(h)) }
init { run B(1); run C(); run W2() }
