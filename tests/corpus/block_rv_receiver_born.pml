/* Whether the block breaks off at its send hangs on the birth of somebody who receives.

   expect: verdict=violated stored=15 matched=3 transitions=18 atomic=2 depth=8 errors=1
*/
chan q = [0] of { byte };
byte a;

proctype Taker() { end: if :: q?_ :: a == 1 -> assert(false) fi }
active proctype Sender() { atomic { a = 1; end: q!1; a = 2 } }
init { run Taker() }
