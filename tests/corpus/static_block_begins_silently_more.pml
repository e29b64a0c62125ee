/* As static_block_begins_silently, with two silent steps: the second is inside the block, but is done before it as well.

   expect: verdict=violated stored=9 matched=0 transitions=9 atomic=8 depth=10 errors=2
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
		x = 1;
		x = x + 1;
		if
		:: d?x
		:: y = 1; g = 0
		fi
	};
	assert(x + y == 3)
}
