/* A label in front of a for names its loop, not its initialisation: a jump there does not start again.
   expect: verdict=verified stored=22 matched=0 transitions=22 atomic=0 depth=21 errors=0
*/
byte n, r;
active proctype P()
{
	byte i;
again:	for (i : 1 .. 3) { n++ }
	r++;
	if :: r < 3 -> goto again :: r == 3 fi;
	assert(n == 3)
}
