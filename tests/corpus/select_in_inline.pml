/* In an inline, select with constants is a loop: a step to the first value, then one step more for each value up.

   expect: verdict=verified stored=33 matched=0 transitions=33 atomic=0 depth=10 errors=0
*/
byte x, y;
inline any(v) { select(v : 1 .. 3) }
inline fixed() { select(y : 2 .. 2) }
active proctype P() { any(x); fixed(); select(y : 1 .. 3) }
