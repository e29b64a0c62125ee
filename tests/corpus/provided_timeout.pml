/* provided and timeout.
   expect: verdict=violated stored=9 matched=2 transitions=11 atomic=0 depth=6 errors=1
*/
byte x;
active proctype A() provided (x < 2) { do :: x++ :: timeout -> break od }
active proctype B() { timeout; x = 0; x = 5 }
