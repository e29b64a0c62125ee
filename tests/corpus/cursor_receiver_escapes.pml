/* A rendezvous can be completed by the escape and by the body of the receiver: the escape comes first and hides the body.

   expect: verdict=verified stored=11 matched=0 transitions=11 atomic=0 depth=6 errors=0
*/
chan c = [0] of { byte };
byte x;

active proctype S() { c!1 }
active proctype R() {
	byte y;
	{ c?y; x = 10 } unless { if :: c?y -> x = 1 :: c?1 -> x = 2 fi }
	assert(x < 10)
}
