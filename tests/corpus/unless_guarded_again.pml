/* A loop comes back into the guarded sequence: it is guarded again.
   expect: verdict=verified stored=93 matched=46 transitions=139 atomic=0 depth=17 errors=0
*/
byte e, x, n;
active proctype P()
{
	do
	:: n < 3 -> n++; { x = n; x = 0 } unless { e == 1 -> e = 2 }
	:: n == 3 -> break
	od
}
active proctype Q() { e = 1 }
