/* Silent steps at the beginning, in the middle and at the end of atomic blocks, with others that see what the blocks do.

   expect: verdict=violated stored=30 matched=13 transitions=43 atomic=16 depth=18 errors=3
*/
byte g;
chan q = [1] of { byte };

active proctype a()
{
	byte x, y;
	g = 1;
	atomic {
		x = 1;
		y = x + 1;
		g = g + y;
		x = 0;
		q!y;
		y = 0;
		x = g
	};
	x = x + 1;
	atomic { g = x; x = 0; g = g + 1 };
	assert(g != 7)
}

active proctype b()
{
	byte z;
	q?z;
	g = g + z;
	assert(g == 5 || g == 7)
}
