/* The same local name in two processes and an inline, of different types.
   expect: verdict=verified stored=29 matched=18 transitions=47 atomic=0 depth=10 errors=0
*/
byte s;
inline add(n) { short tmp = n; tmp--; s = s + tmp }
active proctype P() { byte v = 3; add(v) }
active proctype Q() { int v = -1; bit w; add(2); w = v; assert(w == 1) }
