/* An offer that nobody takes breaks the atomic block that it stands in, and then others see what the block has done so far.
 * Merging must not make `b` ready in every state in which the block can begin.

   expect: verdict=violated stored=30 matched=23 transitions=53 atomic=6 depth=11 errors=3
*/
chan d = [0] of { byte };
byte open, half;

active proctype a()
{
	open == 1;
	atomic {
		half = 1;
		d!1;
		half = 0
	}
}

active proctype b()
{
	byte n = 3;
	open = 1;
	n = n + 1;
	d?n
}

active proctype c()
{
	assert(half == 0)
}
