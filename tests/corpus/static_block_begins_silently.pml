/* A silent step that begins an atomic block can be done before the block, but not if the state behind it could then take an
 * offer: inside the block `b` always goes on with `y = 1`.

   expect: verdict=violated stored=9 matched=0 transitions=9 atomic=6 depth=9 errors=2
*/
chan d = [0] of { byte };
byte g;

active proctype a()
{
	g == 1;
	d!1;
	assert(false)
}

active proctype b()
{
	byte x, y;
	g = 1;
	atomic {
		x = 2;
		if
		:: d?x
		:: y = 1; g = 0
		fi
	};
	assert(x + y == 3)
}
