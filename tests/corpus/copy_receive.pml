/* ?<> leaves the message in the queue.
   expect: verdict=verified stored=10 matched=0 transitions=10 atomic=0 depth=9 errors=0
*/
chan q = [2] of { byte };
active proctype P() { byte x, y; q!4; q!5; q?<x>; assert(x == 4 && len(q) == 2); q?y; assert(y == 4); q?<y>; assert(y == 5) }
