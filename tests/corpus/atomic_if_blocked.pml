/* An if in atomic without an open option suspends the block.
   expect: verdict=verified stored=15 matched=4 transitions=19 atomic=22 depth=9 errors=0
*/
byte x, r;
active proctype P() { atomic { r = 1; if :: x == 1 -> r = 2 :: x == 2 -> r = 3 fi; r = r + 10 } }
active proctype Q() { x = 1; x = 2 }
