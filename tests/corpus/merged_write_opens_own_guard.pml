/*
 * P alone uses g, so `g = 1` is a local step that is merged with the step before it. Whether P comes to the assertion hangs on
 * that step: a set of moves that leaves P out must know who writes g.

   expect: verdict=violated stored=36 matched=19 transitions=55 atomic=0 depth=8 errors=5
*/
byte x, y, z;
byte g;
active proctype P() {
	x = 1;
	g = 1;
	if
	:: g == 1 && y == 0 -> assert(false)
	:: y == 1
	fi
}
active proctype Q() { y = 1; z = x; assert(z < 2) }
