/* The same where the index is out of range.

   expect: verdict=violated stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=2
*/
chan c = [2] of { byte, byte };
active proctype P() {
	byte x, a[3];
	c!5,7; c?x,a[x]; assert(a[1] != 7)
}
