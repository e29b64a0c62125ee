/* The place of the second field is told by the first one, which nobody reads behind the receive: to leave out the store of the first
   would put the second elsewhere.

   expect: verdict=violated stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=1
*/
chan c = [2] of { byte, byte };
active proctype P() {
	byte x, a[3];
	c!1,7; c?x,a[x]; assert(a[1] != 7)
}
