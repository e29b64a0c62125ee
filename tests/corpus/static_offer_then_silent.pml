/* Behind an offer the silent steps of the sender wait for the receiver, which is in an atomic block and goes on first.

   expect: verdict=violated stored=31 matched=10 transitions=41 atomic=6 depth=22 errors=1
*/
chan c = [0] of { byte };
chan q = [2] of { byte };
byte seen;

active proctype a()
{
	byte n, m;
	c!1;
	n = 1;
	m = n + 1;
	q!m;
	c!2;
	n = 3;
	q!n;
	assert(seen != 5)
}

active proctype b()
{
	byte x, y;
	do
	:: atomic { c?x; seen = seen + x; y = seen; }
	:: q?y; seen = seen + 1
	:: timeout -> break
	od;
	assert(y != 4)
}
