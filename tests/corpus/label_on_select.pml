/* A label in front of a select with expressions: where does a jump to it lead?
   expect: verdict=verified stored=28 matched=4 transitions=32 atomic=0 depth=11 errors=0
*/
byte v, r, lo = 1;
active proctype P()
{
again:	select(v : lo .. lo + 2);
	r++;
	if :: r < 2 -> goto again :: r == 2 fi;
	v = 0
}
