/* A rendezvous receive as the guard of a d_step.
   expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=4 errors=0
*/
chan q = [0] of { byte };
byte x;
active proctype S() { q!5 }
active proctype R() { byte v; d_step { q?v; x = v; v = 0 } }
