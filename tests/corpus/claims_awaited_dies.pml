/* Who waits for a message may not wait for the claimant alone if that can die without sending.

   expect: verdict=violated stored=163 matched=218 transitions=381 atomic=0 depth=10 errors=16
*/
chan queue = [2] of { byte };
byte gone;

active [2] proctype Sender() {
	byte way;
	if
	:: way = 1
	:: way = 2
	fi;
	queue!1
}

active proctype Waiter() {
	byte got;
	if
	:: queue?got -> assert(false)
	:: gone = 1
	fi
}

active proctype Claimant() {
	xs queue;
end:	if
	:: gone == 1
	:: gone == 2 -> queue!3
	fi
}
