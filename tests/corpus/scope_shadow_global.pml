/* Refused: a local of the name of a global.
   expect: refused
*/
byte x = 1, r;
active proctype P() { byte x = 5; x++; r = x }
