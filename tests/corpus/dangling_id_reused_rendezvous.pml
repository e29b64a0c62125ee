/* The id of a dead buffered channel is given to a rendezvous channel.

   expect: verdict=violated stored=12 matched=1 transitions=13 atomic=0 depth=9 errors=2
*/
chan g; byte x;
proctype P() { chan c = [1] of { byte }; g = c }
proctype Q() { chan d = [0] of { byte }; if :: d?_ -> x = 1 :: x = 2 fi; end: false }
init { run P(); _nr_pr == 1; run Q(); if :: g!5 -> assert(false) :: x == 2 fi }
