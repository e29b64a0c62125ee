/* Refused: np_ can be used in a never claim only.
   expect: refused
*/
byte x;
active proctype P() { progress: x = 1; x = 2; x = np_ }
