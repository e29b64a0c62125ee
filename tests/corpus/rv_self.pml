/* A process cannot shake hands with itself.
   expect: verdict=violated stored=1 matched=0 transitions=1 atomic=0 depth=1 errors=1
*/
chan q = [0] of { byte };
active proctype P() { byte v; if :: q!1 :: q?v fi }
