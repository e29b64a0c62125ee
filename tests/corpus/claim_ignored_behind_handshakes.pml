/*
 * R and S shake hands for ever. Whichever of the two breaks the cycle, their rendezvous may not be all that is ever explored.

   expect-liveness: property=p mode=acceptance fair=0 violated=1
*/
byte h;
chan c = [0] of { byte };
active proctype R() { do :: c?_ od }
active proctype S() { do :: c!1 od }
active proctype T() { h = 1 }
ltl p { [] (h == 0) }
