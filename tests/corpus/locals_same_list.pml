/* Refused: a variable used in its own declaration list.
   expect: refused
*/
proctype P(byte a) { byte b = a, c = b * 2; assert(c) }
init { run P(3) }
