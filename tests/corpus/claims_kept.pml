/* Channels that are handed around, and claims that are kept. Only `inbox` is ever handed to the porter, which the analysis
   of channels cannot know: without the claims of the workers it must expect the porter at every queue.

   expect: verdict=verified stored=239 matched=412 transitions=651 atomic=1 depth=24 errors=0
*/
chan inbox = [2] of { byte };
chan left = [2] of { byte };
chan right = [2] of { byte };
chan post = [1] of { chan };
chan spare = [1] of { chan };

proctype Worker(chan mine) {
	xr mine;
	byte got;
end:	do
	:: mine?got
	od
}

active proctype Porter() {
	chan where;
	byte got;
	post?where;
	where?got;
	assert(got == 7)
}

init {
	byte i;
	atomic { run Worker(left); run Worker(right) }
	spare!left;
	spare?_;
	spare!right;
	post!inbox;
	inbox!7;
	do
	:: i < 2 -> left!i; right!i; i++
	:: else -> break
	od;
	spare?_
}
