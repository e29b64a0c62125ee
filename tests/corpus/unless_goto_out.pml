/* Jumping out of the main sequence ends the guard of the escape.
   expect: verdict=verified stored=28 matched=12 transitions=40 atomic=0 depth=8 errors=0
*/
byte e, x;
active proctype P()
{
	{ x = 1; if :: x == 1 -> goto out :: x == 7 -> skip fi; x = 2 } unless { e -> x = 9; goto done };
out:	x = 3;
	x = 4;
done:	skip
}
active proctype Q() { e = 1 }
