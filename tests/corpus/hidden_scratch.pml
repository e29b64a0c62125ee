/* hidden variables are outside the state.
   expect: verdict=verified stored=45 matched=30 transitions=75 atomic=0 depth=14 errors=0
*/
hidden byte tmp;
byte x;
active proctype P() { do :: x < 3 -> tmp = x; x = tmp + 1 :: else -> break od }
active proctype Q() { tmp = x; tmp++ }
