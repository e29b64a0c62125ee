/* Two senders with !! and one with !: the queue depends on the order only where it must.
   expect: verdict=verified stored=24 matched=4 transitions=28 atomic=0 depth=19 errors=0
*/
chan q = [4] of { byte, bit };
active proctype A() { q!!3,0; q!!1,0 }
active proctype B() { q!!2,1; q!!1,1 }
active proctype C() { byte x, last; (len(q) == 4); q?last,_; do :: q?x,_ -> assert(x >= last); last = x :: empty(q) -> break od }
