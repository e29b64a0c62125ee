/* Refused: a for with constant bounds whose first is above its last.
   expect: refused
*/
active proctype P() { byte i, n; for (i : 3 .. 2) { n = 99 } assert(n == 0) }
