/* expect: verdict=violated stored=10 matched=0 transitions=10 atomic=0 depth=3 errors=3 */
byte x; active proctype A(){ if :: x=1; assert(x!=1) :: x=2; assert(x!=2) :: x=3; assert(x!=3) fi }
