/* The same, seen as a deadlock.

   expect: verdict=violated stored=10 matched=0 transitions=10 atomic=0 depth=7 errors=1
*/
chan g;
proctype P() { chan c = [1] of { byte }; g = c }
proctype Q() { chan d = [1] of { byte }; if :: full(d) -> false :: empty(d) fi; end: false }
init { run P(); _nr_pr == 1; run Q(); g!5 }
