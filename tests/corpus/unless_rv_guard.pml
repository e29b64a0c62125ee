/* The escape waits for a rendezvous: offered during the handshake only, the main sequence goes on
   meanwhile.
   expect: verdict=verified stored=27 matched=16 transitions=43 atomic=0 depth=10 errors=0
*/
chan stop = [0] of { byte };
byte x;
active proctype P()
{
	byte v;
	{ do :: x < 3 -> x++ :: x == 3 -> x = 0 od } unless { stop?v -> assert(v == 7) };
	x = 9
}
active proctype Q() { stop!7 }
