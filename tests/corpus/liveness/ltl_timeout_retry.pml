/* A property of a model with timeout.
   expect-liveness: property=gets mode=acceptance fair=0 violated=1
   expect-liveness: property=gets mode=acceptance fair=1 violated=1
   expect-liveness: property=always_more mode=acceptance fair=0 violated=0
*/
chan q = [1] of { bit };
bool got;
active proctype S() { do :: timeout -> if :: q!1 :: skip fi od }
active proctype R() { do :: q?1 -> got = true; got = false od }
ltl gets { <> got }
ltl always_more { []<> (!got) }
