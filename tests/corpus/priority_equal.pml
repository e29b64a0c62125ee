/* Equal priorities interleave as usual.
   expect: verdict=verified stored=13 matched=4 transitions=17 atomic=0 depth=8 errors=0
*/
byte x;
active [2] proctype P() priority 4 { x++; x++ }
active proctype Q() priority 2 { assert(x == 4) }
