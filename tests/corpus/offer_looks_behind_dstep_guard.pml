/* An offer looks at a receive in a d_step behind a guard that would be taken otherwise.

   expect: verdict=violated stored=10 matched=4 transitions=14 atomic=0 depth=5 errors=1
*/
chan qs[2] = [1] of { byte }; chan r = [0] of { byte };
active proctype X() { byte i = 5; bool b; b = 1; d_step { if :: b -> skip :: qs[i]?_ -> skip fi } }
active proctype S() { if :: r!1 :: skip fi }
