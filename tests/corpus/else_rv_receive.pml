/* else next to a rendezvous receive is always open.
   expect: verdict=verified stored=36 matched=3 transitions=39 atomic=0 depth=15 errors=0
*/
chan q = [0] of { byte };
byte miss;
active proctype S() { end: do :: q!1 od }
active proctype R() { byte i, v; do :: i < 3 -> i++; if :: q?v :: else -> miss++ fi :: i == 3 -> break od }
