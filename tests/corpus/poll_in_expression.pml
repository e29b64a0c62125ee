/* A poll as an operand, in an assignment and in a condition.
   expect: verdict=verified stored=28 matched=9 transitions=37 atomic=0 depth=7 errors=0
*/
chan q = [1] of { byte };
bool p;
active proctype P() { p = q?[1]; p = p || nempty(q); if :: q?[2] && len(q) == 1 -> q?2 :: !q?[2] -> skip fi }
active proctype Q() { q!2 }
