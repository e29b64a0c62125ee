/* A process inside atomic whose provided clause becomes false.
   expect: verdict=verified stored=9 matched=1 transitions=10 atomic=4 depth=9 errors=0
*/
bool ok = true;
byte x;
active proctype A() provided (ok) { atomic { x = 1; ok = false; x = 2; x = 3 } }
active proctype B() { (!ok); x = 9; ok = true }
