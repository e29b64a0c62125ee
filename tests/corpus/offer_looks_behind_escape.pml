/* An offer looks at a receive behind an escape that would be taken otherwise.

   expect: verdict=violated stored=13 matched=6 transitions=19 atomic=0 depth=6 errors=2
*/
chan qs[2] = [1] of { byte }; chan r = [0] of { byte };
active proctype X() { byte i = 5; bool b; b = 1; { qs[i]?_ } unless { b -> skip } }
active proctype S() { if :: r!1 :: skip fi }
