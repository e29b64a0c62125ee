/* A property over a rendezvous: the half-way state is not seen.
   expect-liveness: property=both mode=acceptance fair=0 violated=0
*/
chan q = [0] of { byte };
byte s, r;
active proctype S() { do :: q!1 -> s = 1 - s od }
active proctype R() { byte v; do :: q?v -> r = 1 - r od }
ltl both { []<> (s == r) }
