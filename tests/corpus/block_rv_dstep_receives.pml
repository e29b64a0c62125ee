/* The send inside the block is taken by a d_step, which goes on to write.

   expect: verdict=violated stored=12 matched=3 transitions=15 atomic=4 depth=8 errors=1
*/
chan q = [0] of { byte };
byte a, g;

active proctype Taker() { byte x; end: d_step { q?x; g = 1 } }
active proctype Sender() { atomic { a = 1; end: q!1 } }
active proctype Reader() { byte y; y = g; assert(y == 0) }
