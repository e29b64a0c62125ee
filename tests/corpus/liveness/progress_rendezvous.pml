/* Progress in a handshake loop.
   expect-liveness: property=- mode=non-progress fair=0 violated=0
*/
chan q = [0] of { bit };
active proctype S() { do :: q!1 od }
active proctype R() { do :: q?1 -> progress: skip od }
