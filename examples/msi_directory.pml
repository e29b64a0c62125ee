/* The MSI cache coherence protocol with a directory.

   Three caches hold one memory block Invalid, Shared or Modified. A cache asks the
   directory for the block to read (get_s) or to write (get_m). The directory remembers who shares the block and who owns it; it
   invalidates sharers before it grants a write and recalls a modified block from
   its owner before it grants anything. Data travel with the messages, so the
   assertions see a stale copy and not only a wrong state.

   pv check examples/msi_directory.pml                             verified
   pv check examples/msi_directory.pml --por                       verified

   expect: verdict=verified stored=488820 matched=1118574 transitions=1607394 atomic=13 depth=26917 errors=0
*/

#ifndef N
#define N 3
#endif

mtype = { get_s, get_m, data, inv, recall, ack };
mtype:line = { Invalid, Shared, Modified };

chan request     = [N] of { mtype, byte };            /* to the directory: what, from whom */
chan answer      = [1] of { mtype, bit };             /* to the directory, when it has asked */
chan to_cache[N] = [2] of { mtype, bit };

bit latest;                   /* ghost: what was written last */
mtype:line state[N] = Invalid;

proctype cache(byte me)
{
	bit copy, d;
	bool waiting;         /* for the answer to a request */

end:	do
	:: !waiting && state[me] == Invalid -> request!get_s(me); waiting = true
	:: !waiting && state[me] != Modified -> request!get_m(me); waiting = true
	:: state[me] != Invalid && !waiting -> assert(copy == latest)               /* read */
	:: state[me] == Modified -> d_step { copy = 1 - copy; latest = copy }       /* write */
	:: !waiting && state[me] == Shared ->                                       /* silent eviction */
	   d_step { state[me] = Invalid; copy = 0 }
	:: to_cache[me]?data(d) ->
	   d_step { copy = d; d = 0; state[me] = Shared; waiting = false }
	:: to_cache[me]?ack(d) ->                     /* the right to write, with the data */
	   d_step { copy = d; d = 0; state[me] = Modified; waiting = false }
	:: to_cache[me]?inv(_) ->
	   d_step { state[me] = Invalid; copy = 0 };
	   answer!ack(0)
	:: to_cache[me]?recall(_) ->
	   d_step { state[me] = Invalid; d = copy; copy = 0 };
	   answer!data(d);
	   d = 0
	od
}

inline fetch()
{
	if
	:: owner < N ->
		to_cache[owner]!recall(0);
		answer?data(memory);
		owner = N
	:: else
	fi
}

proctype directory()
{
	bit memory;
	bool sharer[N];
	byte owner = N;       /* nobody */
	byte who, i;

end:	do
	:: request?get_s(who) ->
	   fetch();
	   sharer[who] = true;
	   to_cache[who]!data(memory);
	   who = 0
	:: request?get_m(who) ->
	   fetch();
	   for (i : 0 .. N-1) {
		if
		:: sharer[i] && i != who ->
			to_cache[i]!inv(0);
			answer?ack(_)
		:: else
		fi;
		sharer[i] = false
	   }
	   i = 0;
	   owner = who;
	   to_cache[who]!ack(memory);
	   who = 0
	od
}

init {
	byte i;

	atomic {
		run directory();
		for (i : 0 .. N-1) {
			run cache(i)
		}
	}
}
