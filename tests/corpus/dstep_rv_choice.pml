/* A d_step that starts with a choice of receives is the other side of each of them.

   expect: verdict=violated stored=9 matched=2 transitions=11 atomic=0 depth=5 errors=1
*/
chan q = [0] of { byte };
byte a, g;

active proctype Taker() { g = 1; end: d_step { if :: q?1 -> assert(false) :: q?2 fi } }
active proctype Sender() { if :: q!1 :: a = 1 fi }
