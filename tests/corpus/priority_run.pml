/* run with a priority.
   expect: verdict=violated stored=10 matched=0 transitions=10 atomic=1 depth=9 errors=1
*/
byte x;
proctype W(byte k) { x = k }
init { atomic { run W(1) priority 4; run W(2) priority 7 }; assert(_priority == 1) ; assert(x == 1) }
