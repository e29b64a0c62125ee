/* Channel contents in ltl: len and a poll.
   expect-liveness: property=served mode=acceptance fair=0 violated=1
   expect-liveness: property=served mode=acceptance fair=1 violated=1
   expect-liveness: property=filled mode=acceptance fair=0 violated=0
   expect-liveness: property=polled mode=acceptance fair=0 violated=1
*/
chan q = [2] of { byte };
active proctype S() { do :: q!1 :: q!2 od }
active proctype R() { byte v; do :: q?v od }
ltl served { []<> (len(q) == 0) }
ltl filled { [] (len(q) <= 2) }
ltl polled { [] (q?[1] -> <> !q?[1]) }
