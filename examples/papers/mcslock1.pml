/* The queue lock of Mellor-Crummey and Scott: each process spins on a variable of its own.

   The lock points to the last process of a queue. A process that wants it swaps itself in; if there was somebody before it, it tells him that it
   comes next, and waits until he hands the lock over. A process that is done and sees nobody behind it tries to set the lock free, by
   comparing and swapping; if somebody came in the meantime, it waits until he has said so.

   This is mcslock1 of the papers on hub states, serialization and disk, which have it as rules of another language; each step here is one rule
   there, and the state spaces agree. The papers count states up to symmetry; without that there are, in both languages,

   N = 4   554,221 states (hub paper, Fig. 7: 23,644 up to symmetry)

   pv check examples/papers/mcslock1.pml -DN=4 --full --search bfs

   expect: verdict=verified stored=7597 matched=12873 transitions=20470 atomic=0 depth=1931 errors=0
*/

#ifndef N
#define N 3
#endif

#define NIL   0
#define ME    (_pid + 1)

/* A process by its number from 1 on; 0 is nobody. */
byte lock;
byte next[N];
bool locked[N];
byte inside;

active [N] proctype process()
{
	byte before;

again:	next[_pid] = NIL;
	d_step { before = lock; lock = ME };
	if
	:: d_step { before == NIL -> inside++; assert(inside == 1) }
	:: before != NIL;
		locked[_pid] = true;
		next[before - 1] = ME;
		d_step { !locked[_pid] -> inside++; assert(inside == 1) }
	fi;

	/* the critical section */
	if
	:: d_step { next[_pid] == NIL -> inside-- };
		if
		:: d_step { lock == ME -> lock = NIL }; goto again
		:: lock != ME; next[_pid] != NIL
		fi
	:: d_step { next[_pid] != NIL -> inside-- }
	fi;
	locked[next[_pid] - 1] = false;
	goto again
}
