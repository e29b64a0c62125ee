/* Pids of dead processes are given again; _nr_pr goes up and down.
   expect: verdict=verified stored=24 matched=3 transitions=27 atomic=0 depth=13 errors=0
*/
byte seen[4];
proctype W() { seen[_pid]++ }
init { run W(); (_nr_pr == 1); run W(); run W(); (_nr_pr == 1); assert(seen[1] >= 2 && seen[1] + seen[2] == 3) }
