/* A receive with fewer variables than fields.
   expect: verdict=violated stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=1
*/
chan q = [2] of { byte, byte };
active proctype P() { byte a; q!1,2; q?a }
