/* An escape has an alternative that is executable and others that are offered and taken by nobody. After an offer that nobody takes
   the body is tried too, although the executable alternative of the escape stands before it.

   expect: verdict=violated stored=13 matched=0 transitions=13 atomic=0 depth=5 errors=2
*/
chan nobody = [0] of { byte };
byte x;

active proctype P() {
	{ x = x + 10; x = x + 10 } unless { if :: nobody!1 -> x = x + 2 :: true -> x = x + 1 :: nobody!3 -> x = x + 4 fi };
	assert(x < 10)
}
