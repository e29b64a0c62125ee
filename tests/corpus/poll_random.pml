/* q??[..] looks into the whole queue.
   expect: verdict=verified stored=33 matched=14 transitions=47 atomic=0 depth=10 errors=0
*/
chan q = [3] of { byte };
byte n;
active proctype P() { if :: q??[3] -> n = 1 :: else -> n = 2 fi; (q??[3]); q??3; assert(!q??[3]) }
active proctype Q() { q!1; q!2; q!3 }
