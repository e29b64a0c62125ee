/* Two processes get the same channel as a parameter under different names.
   expect: verdict=verified stored=13 matched=2 transitions=15 atomic=0 depth=10 errors=0
*/
proctype S(chan out) { out!1; out!2 }
proctype R(chan in) { byte x; in?x; assert(x == 1); in?x }
init { chan c = [1] of { byte }; run S(c); run R(c) }
