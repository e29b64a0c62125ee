/* The same label in two processes.
   expect: verdict=verified stored=34 matched=19 transitions=53 atomic=0 depth=12 errors=0
*/
byte x;
active proctype A() { l: x++; if :: x < 3 -> goto l :: x >= 3 fi }
active proctype B() { l: if :: x < 3 -> goto l2 :: x >= 3 -> goto done fi; l2: x++; goto l; done: skip }
