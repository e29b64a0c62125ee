/* Two-phase commit with a planted bug: a coordinator that grows tired of waiting
   for votes goes on with the decision it had in mind, which is to commit.

   A participant that votes no afterwards aborts on its own, while the others are
   told to commit. Both the assertion of that participant and the comparison of
   the outcomes at the end fail.

   pv check examples/two_phase_commit_bug.pml                      violated: assertion
   pv check examples/two_phase_commit_bug.pml --search bfs         the shortest way there

   expect: verdict=violated stored=73598 matched=153934 transitions=227532 atomic=12 depth=70 errors=9670
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
	:: votes < N -> break                         /* tired of waiting: forgets to abort */
	od;
	tell_all(decision);
	(_nr_pr == 1);                /* everybody has finished */
	for (i : 0 .. N-2) {
		assert(outcome[i] == outcome[i + 1])
	}
}
