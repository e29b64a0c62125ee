/* expect: verdict=verified stored=9 matched=0 transitions=9 atomic=0 depth=8 errors=0 */
chan q=[4] of {byte,byte}; active proctype P(){ byte a,b; q!!2,9; q!!2,1; q!!1,5; q?a,b; assert(a==1); q?a,b; assert(a==2 && b==1) }
