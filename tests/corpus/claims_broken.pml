/* A claim that is broken: the thief takes the only message from a queue that the owner claims. Taking the owner's word, a
   reduction would let the owner receive, and never see the thief's assertion fail.

   expect: verdict=violated stored=16 matched=8 transitions=24 atomic=0 depth=7 errors=2
*/
chan queue = [1] of { byte };
chan post = [1] of { chan };

active proctype Owner() {
	xr queue;
end:	do
	:: queue?_
	od
}

active proctype Thief() {
	chan where;
	post?where;
end:	where?_;
	assert(false)
}

init {
	post!queue;
	queue!1
}
