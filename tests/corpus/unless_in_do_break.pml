/* A break in the escape leaves the loop around the unless.
   expect: verdict=verified stored=121 matched=84 transitions=205 atomic=0 depth=18 errors=0
*/
byte t;
active proctype P()
{
	byte i;
	do
	:: { i < 5 -> i++ } unless { t == 2 -> break }
	:: i == 5 -> i = 0
	od;
	assert(t == 2)
}
active proctype Clock() { do :: t < 2 -> t++ :: else -> break od }
