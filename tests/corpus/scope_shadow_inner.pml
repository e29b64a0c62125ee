/* Refused: an inner block cannot hide a variable of an outer one.
   expect: refused
*/
byte r;
active proctype P() { byte y = 2; r = y; { byte y = 10; r = r + y }; r = r + y }
