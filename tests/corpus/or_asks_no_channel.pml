/* Whether the second channel is asked, which is none, hangs on the first: a send does not only make the guard truer.
   SPIN errs here: what its C code does then is undefined, docs/spin-differences.md

   expect: verdict=violated stored=6 matched=1 transitions=7 atomic=0 depth=4 errors=1
*/
chan none;
chan queue = [1] of { byte };

active proctype Guarded() { (nempty(queue) || nempty(none)) }
active proctype Sender() { queue!1 }
