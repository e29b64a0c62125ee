/* ?<> blocks when the head does not match.
   expect: verdict=verified stored=10 matched=2 transitions=12 atomic=0 depth=7 errors=0
*/
chan q = [2] of { byte };
active proctype P() { byte x; q?<3>; x = 1 }
active proctype Q() { q!2; q!3; q?2 }
