/* _nr_pr waits for the death of others.
   expect: verdict=verified stored=19 matched=10 transitions=29 atomic=2 depth=12 errors=0
*/
byte n;
proctype W() { n++ }
init { atomic { run W(); run W(); run W() }; (_nr_pr == 1); assert(n == 3 && _pid == 0) }
