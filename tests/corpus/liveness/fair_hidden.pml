/* A fair cycle that hangs on a hidden variable.
   expect-liveness: property=p mode=acceptance fair=0 violated=1
   expect-liveness: property=p mode=acceptance fair=1 violated=1
*/
hidden byte h; byte x;
active proctype P() { do :: x == 0 -> atomic { h = 1; x = 1 } :: x == 1 && h == 1 -> atomic { h = 0; x = 0 } od }
ltl p { <> (x == 2) }
