/* Refused: a label as the first thing inside a block.
   expect: refused
*/
byte x;
active proctype P() { { again: x++; x = x } ; if :: x < 2 -> goto again :: else fi }
