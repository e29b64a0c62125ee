/* Variables that others read by remote reference never die.

   expect: verdict=violated stored=16 matched=6 transitions=22 atomic=0 depth=9 errors=1
*/
byte go;

active proctype a()
{
	byte x = 1, y;
	x = 3;
	y = x;
	go = 1;
	x = 4;
	y = 0
}

active proctype b()
{
	go == 1;
	assert(a:x == 4)
}
