/*
 * A rendezvous is one move of two processes. Its receive writes a variable that the properties read, and its send touches nothing: so
 * the move can be seen, and may not be taken alone.

   expect-liveness: property=p mode=acceptance fair=0 violated=1
   expect-liveness: property=q mode=acceptance fair=0 violated=1
*/
byte g, h;
chan c = [0] of { byte };
active proctype S() { c!1 }
active proctype R() { c?g }
active proctype T() { h = 1 }
ltl p { [] !(h == 1 && g == 0) }
ltl q { [] !(h == 0 && g == 1) }
