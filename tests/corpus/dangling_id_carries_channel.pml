/* A dead channel of numbers becomes a channel of channels: a number that is sent there is an id.

   expect: verdict=violated stored=15 matched=3 transitions=18 atomic=0 depth=11 errors=2
*/
chan g = [2] of { byte };
chan keep;
proctype P() { chan d = [1] of { byte }; keep = d }
proctype Q() { chan e = [1] of { chan }; chan x; e?x; x!5 }
init { run P(); (_nr_pr == 1); run Q(); keep!1; assert(len(g) == 1) }
