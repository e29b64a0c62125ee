/* A select over more than 33 constants is a loop, as one over expressions is.
   expect: verdict=verified stored=136 matched=0 transitions=136 atomic=0 depth=69 errors=0
*/
int x;
active proctype P() { select(x : 1 .. 34) }
