/* Two processes pick different kinds out of one queue.
   expect: verdict=verified stored=69 matched=67 transitions=136 atomic=0 depth=17 errors=0
*/
chan q = [2] of { bit, byte };
byte got[2];
active [2] proctype R() { byte v; do :: q??eval(_pid),v -> got[_pid] = v :: timeout -> break od }
active proctype S() { q!0,1; q!1,2; q!1,3; q!0,4 }
