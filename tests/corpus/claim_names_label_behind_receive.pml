/*
 * The receiver of a rendezvous comes to a location that the property names.

   expect-liveness: property=q mode=acceptance fair=0 violated=1
*/
byte h;
chan c = [0] of { byte };
active proctype S() { c!1 }
active proctype R() { c?_; L: skip }
active proctype T() { h = 1; h = 2 }
ltl q { <> (R@L && h == 0) || [] !(R@L) }
