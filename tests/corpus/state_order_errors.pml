/* Two different errors: the counts do not depend on which comes first.
   expect: verdict=violated stored=9 matched=4 transitions=13 atomic=0 depth=4 errors=4
*/
byte x;
active proctype A() { x++; assert(x == 1) }
active proctype B() { x++; assert(x == 2); (x == 7) }
