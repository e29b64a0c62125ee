/* An uninitialised channel is harmless while nobody touches it.
   expect: verdict=verified stored=14 matched=3 transitions=17 atomic=0 depth=7 errors=0
*/
chan c;
bool ready;
active proctype P() { if :: ready -> c!1 :: !ready -> skip fi }
active proctype Q() { chan d = [1] of { byte }; c = d; ready = true; end: d?_ }
