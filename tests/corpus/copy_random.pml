/* ??<> copies from the middle of the queue.
   expect: verdict=verified stored=10 matched=0 transitions=10 atomic=0 depth=9 errors=0
*/
chan q = [3] of { byte, byte };
active proctype P() { byte x; q!1,10; q!2,20; q!3,30; q??<2,x>; assert(x == 20 && len(q) == 3); q??<eval(3),x>; assert(x == 30); q?x,_ }
