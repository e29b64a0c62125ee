/* A variable that only the escape reads is alive wherever the escape can interrupt.

   expect: verdict=violated stored=44 matched=21 transitions=65 atomic=0 depth=8 errors=4
*/
byte stop;

active proctype a()
{
	byte x, y;
	{
		x = 2;
		y = x;
		x = 3;
		y = 1;
		y = 2
	} unless {
		stop == 1 -> assert(x != 3)
	};
	y = 0
}

active proctype b()
{
	stop = 1
}
