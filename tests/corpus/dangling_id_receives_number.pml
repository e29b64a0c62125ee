/* A dead channel of channels becomes a channel of numbers: what is received is a number, used as a channel.

   expect: verdict=violated stored=19 matched=5 transitions=24 atomic=0 depth=13 errors=1
*/
chan g = [2] of { byte };
chan keep; bool f;
proctype P() { chan d = [1] of { chan }; keep = d }
proctype Q() { chan e = [1] of { byte }; e!1; end: false }
proctype X() { chan x; keep?x; f = 1; x!5 }
init { run P(); (_nr_pr == 1); run Q(); run X(); f; assert(len(g) == 1) }
