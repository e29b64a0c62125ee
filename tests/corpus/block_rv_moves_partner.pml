/* The block of the sender moves the receiver, and somebody looks where that one is.

   expect: verdict=violated stored=19 matched=9 transitions=28 atomic=4 depth=9 errors=2
*/
chan q = [0] of { byte };
byte a;

active proctype Taker() { q?_; L: skip }
active proctype Sender() { atomic { a = 1; q!1 } }
active proctype Reader() { bool y; y = Taker[0]@L; assert(!y) }
