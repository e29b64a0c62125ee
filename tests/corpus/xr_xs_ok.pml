/* xr and xs that are kept.
   expect: verdict=verified stored=39 matched=20 transitions=59 atomic=0 depth=18 errors=0
*/
chan q = [1] of { byte };
active proctype S() { xs q; byte i; do :: i < 3 -> q!i; i++ :: i == 3 -> break od }
active proctype R() { xr q; byte v; do :: q?v -> if :: v == 2 -> break :: else fi od }
