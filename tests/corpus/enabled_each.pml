/* enabled of another process changes as the state changes.
   expect: verdict=verified stored=17 matched=6 transitions=23 atomic=0 depth=8 errors=0
*/
chan q = [1] of { byte };
byte n;
active proctype A() { byte v; q?v; n = v }
active proctype B() { byte e; e = enabled(0); q!1; e = e + 2 * enabled(0); assert(e == 2 || e == 0) }
