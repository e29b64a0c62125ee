/* Every type wraps at its own width.
   expect: verdict=verified stored=18 matched=0 transitions=18 atomic=0 depth=17 errors=0
*/
bit b; bool f; byte y; short s; int i; mtype = { m }; mtype e; pid p;
active proctype P()
{
	b = 3; f = 2; y = 257; s = 40000; i = 2147483647; e = 300; p = 511;
	assert(b == 1 && f == 0 && y == 1 && s == -25536 && e == 44 && p == 255);
	i++; assert(i < 0);
	y--; y--; assert(y == 255);
	s = -32768; s--; assert(s == 32767)
}
