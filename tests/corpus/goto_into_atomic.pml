/* A jump into the middle of an atomic block from outside.
   expect: verdict=verified stored=19 matched=13 transitions=32 atomic=16 depth=7 errors=0
*/
byte x;
active proctype P() { if :: goto mid :: skip fi; atomic { x = 1; x = 2; mid: x = 3; x = 4 } }
active proctype Q() { byte y; y = x; y = x }
