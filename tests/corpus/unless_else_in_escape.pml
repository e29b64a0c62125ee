/* An else in the escape: the escape is always possible, so the main sequence never runs.
   expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0
*/
byte x;
active proctype P()
{
	{ x = 1; x = 2 } unless { if :: x == 2 -> x = 3 :: else -> x = 4 fi }
}
