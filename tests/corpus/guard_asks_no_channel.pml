/* A guard that asks a channel variable which may hold no channel.

   expect: verdict=violated stored=6 matched=2 transitions=8 atomic=0 depth=2 errors=1
*/
chan queue = [1] of { byte };
chan none;
byte off, never_set;

active proctype Stopper() { off = 1 }

active proctype Guarded() {
	if
	:: queue = none
	:: skip
	fi;
end:	(off == 0 && nempty(queue) && never_set);
	never_set = 1
}
