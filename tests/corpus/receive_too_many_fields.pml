/* A receive with more fields than the channel has is an error when a message is taken, not before.
   expect: verdict=verified stored=3 matched=0 transitions=3 atomic=0 depth=2 errors=0
*/
chan q = [1] of { byte };
active proctype P() { if :: q?_,_ :: empty(q) fi }
