/* full, empty, nfull, nempty and len on the way from empty to full and back.
   expect: verdict=violated stored=42 matched=18 transitions=60 atomic=0 depth=18 errors=4
*/
chan q = [2] of { bit };
active proctype S() { do :: nfull(q) -> q!1 :: full(q) -> break od }
active proctype R() { (full(q)); do :: nempty(q) -> q?_ :: empty(q) -> break od; assert(len(q) == 0) }
