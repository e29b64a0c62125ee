/* else is tried before timeout.
   expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0
*/
byte x, y;
active proctype P() { if :: x == 1 -> y = 1 :: timeout -> y = 2 :: else -> y = 3 fi }
