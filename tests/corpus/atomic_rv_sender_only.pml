/* The sender's atomic is lost in the handshake when the receiver is not in one.
   expect: verdict=verified stored=11 matched=1 transitions=12 atomic=4 depth=8 errors=0
*/
chan q = [0] of { byte };
byte x;
active proctype S() { atomic { x = 1; q!2; x = 3; x = 4 } }
active proctype R() { byte v; q?v; x = 9 }
