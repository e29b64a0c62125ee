/* Refused: run inside a larger expression.
   expect: refused
*/
byte n;
proctype W() { n++ }
init { byte k; if :: k < 2 && run W() -> k++ fi }
