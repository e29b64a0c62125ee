/* timeout inside an expression.
   expect: verdict=verified stored=6 matched=0 transitions=6 atomic=0 depth=5 errors=0
*/
byte x;
active proctype P() { (timeout && x == 0); x = 1 }
active proctype Q() { do :: timeout && x == 1 -> break :: x == 2 -> x = 0 od }
