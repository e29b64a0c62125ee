/* (a -> b : c) nested, in assignments, indices, sends and guards.
   expect: verdict=verified stored=8 matched=0 transitions=8 atomic=0 depth=7 errors=0
*/
byte a[3];
chan q = [2] of { byte };
active proctype P()
{
	byte i;
	a[(i == 0 -> 2 : 1)] = 7;
	i = (a[2] > 5 -> (a[1] -> 1 : 2) : 3);
	q!(i == 2 -> 9 : 8);
	((q?[9] -> len(q) : 0) == 1);
	q?i;
	assert(i == (a[2] == 7 -> 9 : 0))
}
