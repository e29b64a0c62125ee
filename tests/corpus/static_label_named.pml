/* A silent step at a location that somebody names, or leads to one, stays a step of its own.

   expect: verdict=violated stored=65 matched=31 transitions=96 atomic=0 depth=12 errors=3
*/
byte g;

active proctype a()
{
	byte x;
	g = 1;
here:	x = 1;
	x = 2;
there:	x = 3;
	x = 4;
	g = 2;
	x = 5
}

active proctype b()
{
	if
	:: a@here -> g = g + 10
	:: a@there -> g = g + 20
	fi;
	assert(g != 22)
}
