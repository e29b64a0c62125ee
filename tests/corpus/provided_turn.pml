/* provided clauses: strict turns.
   expect: verdict=verified stored=17 matched=0 transitions=17 atomic=0 depth=16 errors=0
*/
byte turn, n;
active proctype A() provided (turn == 0) { do :: n < 4 -> n++; turn = 1 :: n >= 4 -> turn = 1; break od }
active proctype B() provided (turn == 1) { do :: n < 4 -> n++; turn = 0 :: n >= 4 -> turn = 0; break od }
