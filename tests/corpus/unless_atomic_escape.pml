/* The escape is an atomic block: its guard decides, the rest runs without interruption.
   expect: verdict=verified stored=36 matched=20 transitions=56 atomic=18 depth=15 errors=0
*/
byte alarm, x, y;
active proctype P()
{
	do
	:: { x = 1; x = 2; x = 0 } unless { atomic { alarm > 0 -> alarm--; y++; assert(alarm + y == 2) } }
	:: y == 2 -> break
	od
}
active proctype Q() { alarm = 2; (y == 2) }
