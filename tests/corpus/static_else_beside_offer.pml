/* Who offers by rendezvous beside an `else` can tell whether the other side is ready. Merging must not make `b` ready for
 * `d` together with its receive from `c`: the assertion fails only while `b` has still to count.

   expect: verdict=violated stored=11 matched=1 transitions=12 atomic=0 depth=8 errors=3
*/
chan c = [0] of { byte };
chan d = [0] of { byte };

active proctype a()
{
	atomic {
		c!1;
	}
	if
	:: d!1
	:: else -> assert(false)
	fi
}

active proctype b()
{
	byte x, n;
	c?x;
	n = n + x;
	d?x;
	assert(n == 1)
}
