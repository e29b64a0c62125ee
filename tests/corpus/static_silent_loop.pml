/* A loop of silent steps keeps a location: the process goes round for ever, and the others still come to their ends.

   expect: verdict=verified stored=9 matched=7 transitions=16 atomic=0 depth=4 errors=0
*/
byte g;

active proctype a()
{
	byte x;
	do
	:: x = 1 - x; x = 1 - x; x = x + 0
	od
}

active proctype b()
{
	byte y;
	y = 1;
	g = y;
	g == 2;
	y = 0
}
