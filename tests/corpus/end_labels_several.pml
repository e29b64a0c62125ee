/* Several end labels in one process; one waiting place has none.
   expect: verdict=violated stored=13 matched=2 transitions=15 atomic=0 depth=5 errors=1
*/
chan q = [1] of { byte };
active proctype P() { end1: q?1; end_two: q?2; q?3 }
active proctype Q() { if :: q!1 :: q!1; q!2 :: skip fi }
