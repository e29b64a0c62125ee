/* ?? with a constant, eval and a variable in one receive.
   expect: verdict=verified stored=10 matched=0 transitions=10 atomic=0 depth=9 errors=0
*/
chan q = [4] of { byte, byte, byte };
active proctype P() { byte k = 2, v; q!1,1,10; q!1,2,20; q!2,2,30; q??1,eval(k),v; assert(v == 20); q??eval(k),2,v; assert(v == 30 && len(q) == 1); q?1,1,v }
