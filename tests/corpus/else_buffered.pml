/* else next to a receive and a send on buffered channels.
   expect: verdict=verified stored=1059 matched=839 transitions=1898 atomic=0 depth=31 errors=0
*/
chan q = [1] of { byte };
byte n;
active proctype P() { byte i; do :: i < 4 -> i++; if :: q!i :: else -> n++ fi :: i == 4 -> break od }
active proctype Q() { byte i, v; do :: i < 3 -> i++; if :: q?v :: else -> v = 0 fi :: i == 3 -> break od }
