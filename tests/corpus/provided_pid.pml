/* provided with _pid of several instances.
   expect: verdict=verified stored=25 matched=0 transitions=25 atomic=0 depth=24 errors=0
*/
byte turn;
active [3] proctype P() provided (turn == _pid) { byte i; do :: i < 2 -> i++; turn = (turn + 1) % 3 :: i == 2 -> turn = (turn + 1) % 3; break od }
