/* The escape guard is a rendezvous send.
   expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=5 errors=0
*/
chan out = [0] of { byte };
byte x;
active proctype P() { { x = 1; x = 2; (false) } unless { out!x } }
active proctype Q() { byte v; out?v; assert(v == 0 || v == 1 || v == 2) }
