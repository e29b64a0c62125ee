/* A channel handed to a parameter that is no channel: its id is a number that can be seen, so the order of births matters.

   expect: verdict=violated stored=40 matched=18 transitions=58 atomic=0 depth=11 errors=8
*/
proctype K(byte n) { assert(n != 2) }
proctype W() { chan o = [1] of { byte }; run K(o) }
init { run W(); run W() }
