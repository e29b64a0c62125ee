/* else next to a rendezvous send: only when nobody takes it now.
   expect: verdict=verified stored=43 matched=13 transitions=56 atomic=0 depth=16 errors=0
*/
chan q = [0] of { byte };
byte miss;
active proctype S() { byte i; do :: i < 3 -> i++; if :: q!i :: else -> miss++ fi :: i == 3 -> break od }
active proctype R() { byte v; end: do :: q?v -> skip od }
