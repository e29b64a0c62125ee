/* The same, seen as a deadlock.

   expect: verdict=violated stored=26 matched=5 transitions=31 atomic=0 depth=11 errors=3
*/
proctype K(byte n) { n != 2 }
proctype W() { chan o = [1] of { byte }; run K(o) }
init { run W(); run W() }
