/* Processes started in atomic appear together; one of them is already gone before the block ends.
   expect: verdict=verified stored=50 matched=16 transitions=66 atomic=14 depth=14 errors=0
*/
byte n;
proctype W(byte k) { n = n + k }
init { atomic { run W(1); run W(2); n = 10 }; (n >= 10); atomic { n = 0; (_nr_pr == 1); run W(5) } }
