/* A chan variable that is assigned another channel is an alias of it.
   expect: verdict=verified stored=8 matched=0 transitions=8 atomic=0 depth=7 errors=0
*/
chan a = [2] of { byte };
chan b;
active proctype P() { b = a; b!1; a!2; assert(len(b) == 2 && b == a); a?1; b?2 }
