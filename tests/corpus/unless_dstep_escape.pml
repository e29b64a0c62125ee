/* The escape is a d_step.
   expect: verdict=verified stored=13 matched=0 transitions=13 atomic=0 depth=12 errors=0
*/
byte n, k;
active proctype P()
{
	do
	:: n < 4 -> { n++; n = n } unless { d_step { n == 2 -> n = 3; k++ } }
	:: n >= 4 -> break
	od;
	assert(k <= 1)
}
