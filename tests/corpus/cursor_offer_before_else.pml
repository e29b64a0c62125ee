/* An offer that nobody takes does not keep `else` from being executable; in an escape it hides neither body nor `else`.

   expect: verdict=verified stored=9 matched=0 transitions=9 atomic=0 depth=8 errors=0
*/
chan nobody = [0] of { byte };
byte x;

active proctype P() {
	if :: nobody!1 -> x = 1 :: else -> x = 2 fi;
	{ x = x + 4 } unless { nobody!2 -> x = x + 8 };
	do :: nobody!3 -> x = 99 :: x < 7 -> x++ :: else -> break od;
	assert(x == 7)
}
