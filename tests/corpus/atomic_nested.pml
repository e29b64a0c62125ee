/* Atomic in atomic and d_step in atomic.
   expect: verdict=verified stored=7 matched=2 transitions=9 atomic=20 depth=12 errors=0
*/
byte x;
active [2] proctype P() { atomic { x++; atomic { x++; x = x }; d_step { x++; x = x }; x++ } }
