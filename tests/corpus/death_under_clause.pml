/*
 * P1 comes to its end and dies before B is born, while its clause holds.

   expect: verdict=verified stored=9 matched=2 transitions=11 atomic=0 depth=4 errors=0
*/
byte a;
active proctype P0() { run B(); a = 1 }
active proctype P1() provided (a < 2) { skip }
proctype B() { end: false }
