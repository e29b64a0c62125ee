/* The id of a dead channel is given to a channel of another process type.

   expect: verdict=violated stored=9 matched=1 transitions=10 atomic=0 depth=7 errors=1
*/
chan g;
proctype P() { chan c = [1] of { byte }; g = c }
proctype Q() { chan d = [1] of { byte }; assert(empty(d)); end: false }
init { run P(); _nr_pr == 1; run Q(); g!5 }
