/* A rendezvous send in the main sequence with an escape that is sometimes open.
   expect: verdict=violated stored=21 matched=5 transitions=26 atomic=0 depth=11 errors=1
*/
chan q = [0] of { byte };
bool cut;
byte got;
active proctype S() { { q!1; q!2; q!3 } unless { cut -> got = 100 } }
active proctype R() { do :: q?got -> if :: cut = true; break :: skip fi od }
