/* Fields that are received and never looked at.

   expect: verdict=verified stored=47 matched=27 transitions=74 atomic=0 depth=19 errors=0
*/
chan q = [2] of { byte, byte, byte };

active proctype a()
{
	byte n;
	do
	:: n < 3 -> q!n,n * 2,1; n++
	:: n == 3 -> break
	od
}

active proctype b()
{
	byte x, y, z;
	do
	:: q?x,y,eval(z + 1); assert(x < 3)
	:: q?x,y,7
	:: timeout -> break
	od
}
