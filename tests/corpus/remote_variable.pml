/* A remote variable of a running process.
   expect: verdict=violated stored=13 matched=3 transitions=16 atomic=0 depth=8 errors=1
*/
active proctype A() { byte v = 3; v++; v = v * 2; v = 0 }
active proctype B() { (A[0]:v == 8); assert(A[0]:v == 8 || A[0]:v == 0); skip }
