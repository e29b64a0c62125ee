/* else inside atomic.
   expect: verdict=verified stored=7 matched=2 transitions=9 atomic=15 depth=10 errors=0
*/
byte x;
active [2] proctype P() { atomic { if :: x > 0 -> x-- :: else -> x = 2 fi; x = x + 1 } }
