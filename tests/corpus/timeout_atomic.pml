/* timeout as the first and as an inner statement of atomic.
   expect: verdict=verified stored=6 matched=0 transitions=6 atomic=5 depth=9 errors=0
*/
byte x, g;
active proctype P() { atomic { timeout -> x = 1; g = 1 } }
active proctype Q() { atomic { g == 1 -> g = 2; timeout; x = 2 } }
