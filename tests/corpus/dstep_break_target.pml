/* Refused: a break whose loop is followed by a d_step counts as a jump into it.
   expect: refused
*/
byte x;
active proctype P() { do :: x < 2 -> x++ :: else -> break od; d_step { x = 0; x = 1 } }
