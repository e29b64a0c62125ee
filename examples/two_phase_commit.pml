/* Two-phase commit: a coordinator and three participants.

   The coordinator asks for votes, decides to commit only if all say yes, and
   tells everybody. A participant that voted no may abort at once. The coordinator
   may also give up waiting (an unexpected silence), which is an abort.

   pv check examples/two_phase_commit.pml                          verified
   pv check examples/two_phase_commit_bug.pml                      the same with a bug

   expect: verdict=verified stored=73999 matched=154666 transitions=228665 atomic=12 depth=70 errors=0
*/

#ifndef N
#define N 3
#endif

mtype = { prepare, yes, no, commit, abort, undecided };

chan to_part[N]  = [2] of { mtype };
chan to_coord    = [N] of { mtype, byte };
mtype outcome[N] = undecided;

proctype participant(byte me)
{
	mtype m;

	to_part[me]?prepare;
	if
	:: to_coord!yes(me);
	   to_part[me]?m;
	   outcome[me] = m
	:: to_coord!no(me);
	   outcome[me] = abort;
	   to_part[me]?m;
	   assert(m == abort)
	fi;
	skip
}

inline tell_all(m)
{
	for (i : 0 .. N-1) {
		to_part[i]!m
	}
}

active proctype coordinator()
{
	byte i, votes;
	mtype decision = commit;

	atomic {
		for (i : 0 .. N-1) {
			run participant(i)
		}
	}
	tell_all(prepare);
	do
	:: votes == N -> break
	:: to_coord?yes,_ -> votes++
	:: to_coord?no,_ -> decision = abort; break
	:: votes < N -> decision = abort; break       /* tired of waiting */
	od;
	tell_all(decision);
	(_nr_pr == 1);                /* everybody has finished */
	for (i : 0 .. N-2) {
		assert(outcome[i] == outcome[i + 1])
	}
}
