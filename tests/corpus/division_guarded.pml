/* A division that is guarded against zero by short evaluation.
   expect: verdict=violated stored=15 matched=0 transitions=15 atomic=0 depth=8 errors=2
*/
byte d, r;
active proctype P() { do :: d != 0 && 10 / d > 3 -> r = 10 / d; break :: d == 0 || 10 % d == 0 -> d++ od; assert(r == 10) }
