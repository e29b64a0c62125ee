/* Counters that nobody reads but themselves, of one process and of several.

   expect: verdict=verified stored=1386 matched=1097 transitions=2483 atomic=0 depth=34 errors=0
*/
byte total, worth;

active [2] proctype a()
{
	byte n, m;
	do
	:: n < 3 -> n++; total = total + n; m = m + 1; worth = worth + total
	:: n == 3 -> break
	od
}
