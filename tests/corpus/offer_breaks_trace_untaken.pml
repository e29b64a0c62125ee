/* An offer that nobody takes breaks the trace. SPIN errs here: pan takes an offer for a completed rendezvous where a
   trace looks at it, docs/spin-differences.md.

   expect: verdict=violated stored=6 matched=11 transitions=17 atomic=0 depth=4 errors=2
*/
byte z; bit b;
chan r = [0] of { byte };
chan q = [1] of { byte };
trace { q!2; do :: r!_ ; :: q!_ od }
active proctype B() { end: do :: b = 1 - b :: z == 1 -> r?_ od }
active proctype D() { end: do :: b = 1 - b od }
active proctype P() { end: r!1 }
active proctype A() { q!2 }
