/* Instances index an array with _pid and wait for their neighbour.
   expect: verdict=violated stored=102 matched=92 transitions=194 atomic=0 depth=15 errors=3
*/
byte s[3];
active [3] proctype P() { s[_pid] = 1; (s[(_pid + 1) % 3] == 1); s[_pid] = 2; assert(s[(_pid + 2) % 3] <= 2) }
