/* The clause is asked before each step of the block, when the channel has another length than at its start.

   expect: verdict=violated stored=14 matched=3 transitions=17 atomic=6 depth=13 errors=1
*/
chan q = [5] of { byte };
byte x;

proctype Bounded() provided (len(q) < 2) { atomic { q!1; x = 1 } }
proctype Taker() { q?_ }
proctype Judge() { end: atomic { q?[1] && x == 0 -> assert(false) } }
init { atomic { q!7; run Bounded(); run Taker(); run Judge() } }
