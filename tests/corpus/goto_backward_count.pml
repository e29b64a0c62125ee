/* A loop made of gotos.
   expect: verdict=verified stored=49 matched=32 transitions=81 atomic=0 depth=16 errors=0
*/
byte x;
active [2] proctype P() { l: if :: x < 4 -> x++; goto l :: x >= 4 -> goto done fi; x = 99; done: skip }
