/* A select over 33 constants is one choice; over one more it is a loop (select_constants_34).
   expect: verdict=verified stored=67 matched=0 transitions=67 atomic=0 depth=2 errors=0
*/
int x;
active proctype P() { select(x : 1 .. 33) }
