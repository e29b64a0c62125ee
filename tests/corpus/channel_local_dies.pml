/* Channels of a dead process are reclaimed; a new process gets the same number.
   expect: verdict=verified stored=13 matched=0 transitions=13 atomic=0 depth=12 errors=0
*/
byte id[2];
proctype P(byte k) { chan c = [1] of { byte }; id[k] = c; c!k }
init { run P(0); (_nr_pr == 1); run P(1); (_nr_pr == 1); assert(id[0] == id[1]) }
