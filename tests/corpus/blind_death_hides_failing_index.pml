/* The death of a process is seen if its clause can fail: here by an index.

   expect: verdict=violated stored=10 matched=1 transitions=11 atomic=0 depth=5 errors=2
*/
byte x;
byte a[2];
proctype A() { end: x == 5 }
active proctype Z() { timeout -> x = 2 }
active proctype Q() { run A() }
active proctype P() provided (a[x] == 0) { skip }
