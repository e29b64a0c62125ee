/* !! compares signed fields as signed numbers.
   expect: verdict=verified stored=11 matched=0 transitions=11 atomic=0 depth=10 errors=0
*/
chan q = [3] of { short };
active proctype P() { short x; q!!5; q!!-3; q!!0; q?x; assert(x == -3); q?x; assert(x == 0); q?x; assert(x == 5) }
