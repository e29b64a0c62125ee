/* In the middle of the block everybody is asked whether he takes the message, and one looks at an element that is not there.
   SPIN errs here: what its C code does with such an index is undefined, docs/spin-differences.md

   expect: verdict=violated stored=8 matched=3 transitions=11 atomic=4 depth=7 errors=1
*/
byte g;
chan q = [0] of { byte };
chan qs[2] = [1] of { byte };

active proctype Other() { byte x; skip; end: qs[g]?x }
active proctype Taker() { byte x; atomic { q?x; g = 1 } }
active proctype Sender() { atomic { g = 5; q!1 } }
