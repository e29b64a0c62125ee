/* The process with the higher priority runs first, as long as it can.
   expect: verdict=verified stored=8 matched=0 transitions=8 atomic=0 depth=7 errors=0
*/
byte x;
active proctype Low() priority 1 { x = 1; x = 2 }
active proctype High() priority 5 { assert(x == 0); (x == 1); assert(x == 1) }
