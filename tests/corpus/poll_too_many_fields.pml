/* A poll with more fields than the channel has asks for those that are there.
   expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0
*/
chan q = [1] of { byte };
active proctype P() { if :: q?[_,_] -> assert(false) :: empty(q) fi; q!1; if :: q?[_,_] :: q?[2,_] -> assert(false) fi }
