/* Refused: only globals can be hidden.
   expect: refused
*/
active proctype P() { hidden byte h; h = 1 }
