/* _last after a rendezvous.
   expect: verdict=verified stored=12 matched=1 transitions=13 atomic=0 depth=6 errors=0
*/
chan q = [0] of { bit };
byte l;
active proctype S() { q!1; l = _last }
active proctype R() { q?1; l = _last }
