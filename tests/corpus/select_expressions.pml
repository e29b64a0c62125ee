/* select with expressions counts up step by step.
   expect: verdict=violated stored=48 matched=26 transitions=74 atomic=0 depth=10 errors=2
*/
byte v, a = 1;
active proctype P() { select(v : a .. a + 2); assert(v >= 1 && v <= 3) }
active proctype Q() { a = 2 }
