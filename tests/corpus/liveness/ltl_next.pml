/* Refused: the next operator, unless spin was built for it (Debian's is not).
   expect: refused
*/
byte x;
active proctype P() { do :: x = 1; x = 2; x = 0 od }
ltl n1 { X (x == 1) }
