/* D_proctype: a deterministic process, the same states.
   expect: verdict=verified stored=24 matched=11 transitions=35 atomic=0 depth=10 errors=0
*/
byte x;
active D_proctype P() { do :: x < 3 -> x++ :: x == 3 -> break od }
active proctype Q() { x = 1 }
