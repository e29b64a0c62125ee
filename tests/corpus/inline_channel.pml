/* Channels and message fields as parameters of an inline.
   expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0
*/
chan q = [1] of { byte, byte };
inline send(c, a, b) { c!a,b }
inline get(c, a, b) { c?a,b }
active proctype P() { send(q, 3, 4) }
active proctype Q() { byte u, v; get(q, u, v); assert(u == 3 && v == 4) }
