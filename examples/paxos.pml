/* Paxos, single decree: two proposers, three acceptors.

   Proposer p uses ballot p+1 and wants value p+1. Phase 1: it asks the acceptors
   to promise not to listen to smaller ballots; they answer with the vote they
   have given last. With a majority of promises it proposes the value of the
   highest vote it heard of, or its own. Phase 2: an acceptor that has not promised
   a larger ballot votes. A value with a majority of votes is chosen, and the
   acceptors assert that no second value ever is. Silence is always possible: a
   proposer may stop listening, so lost messages need no model of their own.

   pv check examples/paxos.pml                                     verified
   pv check examples/paxos.pml --por                               verified
   pv check examples/paxos.pml -D FORGETFUL                        violated: an acceptor that forgets
                                                                   its vote when it promises

   expect: verdict=verified stored=2703208 matched=8668787 transitions=11371995 atomic=20 depth=121 errors=0
*/

#define PROPOSERS 2
#define ACCEPTORS 3
#define MAJORITY  2

mtype = { prepare, promise, accept };

chan to_acceptor[ACCEPTORS] = [2] of { mtype, byte, byte };         /* type, ballot, value */
chan to_proposer[PROPOSERS] = [ACCEPTORS] of { byte, byte };        /* ballot and value of the last vote */

typedef Tally { byte votes[PROPOSERS + 1] };
Tally tally[PROPOSERS + 1];   /* ghost: votes for each ballot and value */
byte chosen;                  /* ghost: the chosen value, 0 if none */

proctype proposer(byte me)
{
	byte ballot = me + 1, value = me + 1;
	byte i, heard, b, v, best;

	for (i : 0 .. ACCEPTORS-1) {
		to_acceptor[i]!prepare(ballot, 0)
	}
	do
	:: heard < MAJORITY && nempty(to_proposer[me]) ->
	   d_step {
		to_proposer[me]?b,v;
		heard++;
		if
		:: b > best -> best = b; value = v
		:: else
		fi;
		b = 0; v = 0
	   }
	:: heard == MAJORITY -> break
	:: heard < MAJORITY -> goto stop      /* tired of waiting */
	od;
	for (i : 0 .. ACCEPTORS-1) {
		to_acceptor[i]!accept(ballot, value)
	}
stop:	skip
}

proctype acceptor(byte me)
{
	byte promised, voted, vote;
	byte b, v;

end:	do
	:: to_acceptor[me]?prepare(b, _) ->
	   if
	   :: b > promised ->
		promised = b;
#ifdef FORGETFUL
		voted = 0;
#endif
		to_proposer[b - 1]!voted,vote
	   :: else
	   fi
	:: to_acceptor[me]?accept(b, v) ->
	   if
	   :: b >= promised ->
		d_step {
			promised = b; voted = b; vote = v;
			tally[b].votes[v]++;
			if
			:: tally[b].votes[v] >= MAJORITY ->
				assert(chosen == 0 || chosen == v);
				chosen = v
			:: else
			fi
		}
	   :: else
	   fi
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. ACCEPTORS-1) {
			run acceptor(i)
		}
		for (i : 0 .. PROPOSERS-1) {
			run proposer(i)
		}
	}
}
