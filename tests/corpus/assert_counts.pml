/* A failing assertion counts once for each edge that executes it.
   expect: verdict=violated stored=21 matched=12 transitions=33 atomic=0 depth=8 errors=7
*/
byte x;
active [2] proctype P() { x++; assert(x < 2); x = x }
