/* A global that one process alone uses is a local in all but name; its initial value is read by an initialiser.

   expect: verdict=verified stored=169 matched=236 transitions=405 atomic=0 depth=16 errors=0
*/
byte g = 5;
byte h = 2;
byte count;

active proctype a()
{
	byte x = g;
	g = 7;
	g = g + x;
	h = g;
	g = 0;
	x = 0;
	count = count + 1;
	assert(h == 12)
}

active [2] proctype b()
{
	byte y = h;
	count = count + y;
	y = 0;
	h = h
}
