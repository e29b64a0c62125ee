/* Refused: two options are one scope, the same name cannot be declared in both.
   expect: refused
*/
byte s;
active proctype P() { byte i; do :: i < 3 -> byte k; k++; s = s + k; i++ :: i == 3 -> byte k = 7; s = s + k; break od }
