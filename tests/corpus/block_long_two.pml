/* Two blocks of more steps than are passed without remembering: the same state is met with one process inside and with the
   other.

   expect: verdict=violated stored=22 matched=7 transitions=29 atomic=40815 depth=20412 errors=3
*/
bool a, b, c, d;

active proctype P() {
	short k;
	atomic { do :: k < 5100 -> k++ :: else -> break od; a = 1; d -> c = b };
	assert(!c)
}

active proctype Q() {
	short k;
	atomic { do :: k < 5100 -> k++ :: else -> break od; d = 1; a -> b = 1 };
	skip
}
