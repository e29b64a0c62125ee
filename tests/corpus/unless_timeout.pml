/* An escape guarded by timeout.
   expect: verdict=verified stored=11 matched=1 transitions=12 atomic=0 depth=9 errors=0
*/
chan q = [1] of { byte };
byte x;
active proctype P() { { q?x; q?x; q?x } unless { timeout -> x = 99 }; assert(x == 99) }
active proctype Q() { q!1; q!2 }
