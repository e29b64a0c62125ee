/* Refused: goto to a label in front of a d_step.
   expect: refused
*/
byte x;
active proctype P() { l: d_step { x++; x = x }; if :: x < 3 -> goto l :: else fi }
