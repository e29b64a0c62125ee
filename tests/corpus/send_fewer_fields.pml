/* A send with fewer values than fields: a run-time error, the missing ones are 0.
   expect: verdict=violated stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=1
*/
chan q = [1] of { byte, byte };
active proctype P() { byte a, b; q!1; q?a,b; assert(b == 0) }
