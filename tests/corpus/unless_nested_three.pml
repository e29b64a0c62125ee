/* Three levels of unless: the outermost guard is tried first, the inner escape can itself be escaped.
   expect: verdict=verified stored=76 matched=49 transitions=125 atomic=0 depth=8 errors=0
*/
byte a, b, c, x;
active proctype P()
{
	{
		{
			{ x = 1; x = 2; x = 3 } unless { a -> x = 10; x = 11 }
		} unless { b -> x = 20; x = 21 }
	} unless { c -> x = 30 };
	x = 40
}
active proctype Q() { a = 1; b = 1; c = 1 }
