/* Polls of several fields with constants on a queue that changes.
   expect: verdict=verified stored=20 matched=6 transitions=26 atomic=0 depth=13 errors=0
*/
mtype = { x1, x2 };
chan q = [2] of { mtype, byte };
byte hits;
active proctype P() { q!x1,1; q!x2,2; q!x1,3 }
active proctype Q() { do :: q?[x1,1] -> q?x1,1; hits++ :: q?[x2,_] -> q?_,_ :: q?[x1,3] -> q?x1,_; break od; assert(hits == 1) }
