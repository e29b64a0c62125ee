/* A claimant that is gone when the one arrives who breaks the claim: a reduction that lets it finish first never sees
   both, and must not believe it.

   expect: verdict=violated stored=10 matched=3 transitions=13 atomic=0 depth=4 errors=2
*/
chan queue = [1] of { byte };

active proctype Late() {
	byte got;
	got = 1;
end:	queue?got;
	assert(false)
}

active proctype Claimant() {
	byte got;
	xr queue;
	queue!7;
	queue?got
}
