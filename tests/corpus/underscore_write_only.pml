/* _ takes values and never keeps them.
   expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0
*/
chan q = [2] of { byte, byte };
active proctype P() { q!1,2; q!3,4; q?_,_; _ = 5; q?_,4 }
