/* Elements with constant index die one by one; a computed index reads them all.

   expect: verdict=verified stored=1747 matched=1428 transitions=3175 atomic=0 depth=40 errors=0
*/
byte g;

active [2] proctype a()
{
	byte t[3];
	byte i;
	t[0] = _pid;
	t[1] = 2;
	t[2] = 3;
	g = t[0] + t[1];
	t[0] = 0;
	t[1] = 4;
	do
	:: i < 3 -> g = g + t[i]; i++
	:: else -> break
	od;
	t[2] = g;
	assert(g != 21);
	skip
}
