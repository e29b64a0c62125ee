/* A label inside an inline that is expanded twice; gotos stay in their copy.
   expect: verdict=verified stored=64 matched=48 transitions=112 atomic=0 depth=15 errors=0
*/
byte x;
inline count(n)
{
	byte i = 0;
loop:	if
	:: i < n -> i++; x++; goto loop
	:: i >= n
	fi
}
active proctype P() { count(2) }
active proctype Q() { count(1) }
