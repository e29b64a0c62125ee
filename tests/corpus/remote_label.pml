/* A remote label reference in a guard and in an assertion.
   expect: verdict=violated stored=17 matched=6 transitions=23 atomic=0 depth=8 errors=1
*/
byte x;
active proctype A() { x = 1; crit: x = 2; x = 3 }
active proctype B() { (A@crit); assert(x == 1 || A[0]@crit || x >= 2); skip }
