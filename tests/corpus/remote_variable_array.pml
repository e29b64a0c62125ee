/* A remote element of a local array, with the index from here.
   expect: verdict=violated stored=19 matched=6 transitions=25 atomic=0 depth=12 errors=1
*/
active proctype A() { byte t[3]; t[0] = 1; t[1] = 2; t[2] = 3; (false) }
active proctype B() { byte i; do :: i < 3 && A[0]:t[i] == i + 1 -> i++ :: i == 3 -> break od; assert(A:t[0] == 1) }
