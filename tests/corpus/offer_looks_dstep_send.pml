/* While something is offered the sends among the guards of a d_step are not looked at.

   expect: verdict=verified stored=10 matched=4 transitions=14 atomic=0 depth=5 errors=0
*/
chan c[2] = [1] of { byte }; chan q = [1] of { byte }; chan r = [0] of { byte };
active proctype X() { byte i = 5; bool b; b = 1; d_step { if :: b -> skip :: c[i]!1 -> skip :: q?_ -> skip fi } }
active proctype S() { if :: r!1 :: skip fi }
