/* The queue lock of Mellor-Crummey and Scott for machines that cannot compare and swap.

   As in mcslock1.pml, but a process that is done and sees nobody behind it swaps nobody into the lock. If the lock pointed to somebody else by then, there are
   processes behind it that the lock does not know any more: it swaps the last of them back in. Others may have come in the meantime, found the
   lock free and taken it ("usurpers"); then the queue is hung behind the last of these, else the lock is handed over.

   This is mcslock2 of the papers on hub states, serialization and disk, which have it as rules of another language; each step here is one rule
   there, and the state spaces agree. The papers count states up to symmetry; without that there are, in both languages,

   N = 3   3,240,032 states (hub paper, Fig. 7: 540,219 up to symmetry)

   pv check examples/papers/mcslock2.pml -DN=3 --full --search bfs

   expect: verdict=verified stored=1098 matched=895 transitions=1993 atomic=0 depth=253 errors=0
*/

#ifndef N
#define N 2
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
	byte before, tail, usurper;

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
		d_step { tail = lock; lock = NIL };
		if
		:: tail == ME; goto again
		:: tail != ME
		fi;
		d_step { usurper = lock; lock = tail };
		next[_pid] != NIL;
		if
		:: d_step { usurper != NIL -> next[usurper - 1] = next[_pid] }
		:: d_step { usurper == NIL -> locked[next[_pid] - 1] = false }
		fi
	:: d_step { next[_pid] != NIL -> inside-- };
		locked[next[_pid] - 1] = false
	fi;
	goto again
}
