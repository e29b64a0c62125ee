/* Inside a d_step the first option that is executable is taken: a variable that only a later option reads is alive, too.

   expect: verdict=verified stored=57 matched=42 transitions=99 atomic=0 depth=14 errors=0
*/
byte g;

active [2] proctype a()
{
	byte x, y, z;
	x = _pid + 1;
	z = x;
	d_step {
		y = g;
		do
		:: y > 3 -> break
		:: else -> y = y + x
		od;
		if
		:: y == 4 -> z = 0
		:: else -> skip
		fi;
		g = y
	};
	x = 5;
	assert(z != 2);
	x = 0
}
