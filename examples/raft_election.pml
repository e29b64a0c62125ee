/* The election of Raft: three servers, terms, at most one leader in each term.

   A follower that hears nothing becomes a candidate: it enters a new term, votes
   for itself and asks the others. A server votes once in a term, for the first
   who asks, and steps down when it sees a larger term. Messages may be dropped on
   arrival or when a mailbox is full. Terms are bounded by T, so the state space is
   finite, and only two of the servers ever stand, so that it is small.

   pv check examples/raft_election.pml                             verified
   pv check examples/raft_election.pml -D FORGETS                  violated: a server that forgets its
                                                                   vote (say, it restarts)

   expect: verdict=verified stored=64674 matched=153240 transitions=217914 atomic=2 depth=38 errors=0
*/

#ifndef T
#define T 2
#endif
#define N    3
#define CANDIDATES 2          /* how many of them stand for election */
#define NONE 255

mtype = { ask, grant };
mtype:rank = { follower, candidate, leader };

chan mail[N] = [2] of { mtype, byte, byte };          /* what, term, from */

byte leader_of[T + 1] = NONE;                         /* ghost */

/* a larger term makes everybody a follower */
inline step_down()
{
	if
	:: d_step { t > term -> term = t; role = follower; vote = NONE; votes = 0 }
	:: else
	fi
}

proctype server(byte me)
{
	mtype:rank role = follower;
	byte term, vote = NONE, votes;
	byte t, from, i;

end:	do
	:: me < CANDIDATES && role != leader && term < T ->   /* nothing heard: stand for election */
	   d_step {
		term++; role = candidate; vote = me; votes = 1;
		for (i : 0 .. N-1) {
			if
			:: i != me && len(mail[i]) < 2 -> mail[i]!ask,term,me
			:: else                       /* dropped */
			fi
		}
		i = 0
	   }
	:: mail[me]?_,_,_                                     /* dropped */
	:: mail[me]?ask,t,from ->
	   step_down();
	   d_step {
		if
		:: t == term && (vote == NONE || vote == from) ->
			vote = from;
			if
			:: len(mail[from]) < 2 -> mail[from]!grant,term,me
			:: else
			fi
		:: else
		fi;
		t = 0; from = 0
	   }
	:: mail[me]?grant,t,_ ->
	   if
	   :: t == term && role == candidate ->
		votes++;
		if
		:: votes > N / 2 ->
			role = leader;
			assert(leader_of[term] == NONE || leader_of[term] == me);
			leader_of[term] = me
		:: else
		fi
	   :: else
	   fi;
	   t = 0
#ifdef FORGETS
	:: role == follower && vote != NONE -> vote = NONE
#endif
	od
}

init {
	atomic {
		run server(0);
		run server(1);
		run server(2)
	}
}
