/* To ask the length of a rendezvous channel is an error once its owner is dead. SPIN errs here: it finds a length of
   0 and no error, docs/spin-differences.md

   expect: verdict=violated stored=32 matched=22 transitions=54 atomic=0 depth=9 errors=5
*/
chan k = [1] of { chan };

proctype Child() { skip }
active proctype Asker() { chan v; byte x; k?v; x = len(v) }
active proctype Maker() { run Child() }
active proctype Owner() { chan z = [0] of { byte }; k!z }
