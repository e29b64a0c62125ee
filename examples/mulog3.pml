/* Naimi and Trehel's mutual exclusion with log(n) messages, three participants.

   Each participant keeps two pointers: `last`, its guess who asked last and so
   will own the token (the guesses form a tree whose root is the last requester),
   and `next`, to whom it hands the token when it is done. A request travels along
   `last`, and every participant on the way turns its pointer to the requester.
   The token travels along `next`.

   Each participant is one process with variables of its own, which wants the
   critical section ROUNDS times and answers messages otherwise. There is one
   channel for each sender and receiver. So moves of different participants
   hardly ever depend on each other, and sleep sets leave few states that are met
   twice. That is what a small cache needs: a model in which a user and an agent
   share the variables of a participant, and all senders share its mailbox,
   pays hundreds of times the transitions for a cache of 1000 states.

   This is the protocol of MULOG3 of the state-space caching paper (there 100,195
   states, 254,183 matched, depth 119); the model is our own. papers/mulog3.pml is
   one whose counts are near the paper's.

   pv check examples/mulog3.pml --full                  92,267 states, 143,987 matched
   pv check examples/mulog3.pml --sleep                 the same states, 7,816 matched
   pv check examples/mulog3.pml --sleep --cache 1000    0.71 times the transitions of the full search
   pv check examples/mulog3.pml --sleep --cache 200     1.6 times, with room for little more than the path
   pv check examples/mulog3.pml                         leaves out most of the states as well

   expect: verdict=verified stored=92267 matched=143987 transitions=236254 atomic=2 depth=123 errors=0
*/

#ifndef ROUNDS
#define ROUNDS 2
#endif
#define N          3
#define NIL        255
#define LINK(a, b) link[(a) * N + (b)]

mtype = { request, token };

chan link[N * N] = [2] of { mtype, byte };

byte inside;                  /* ghost: participants in the critical section */

proctype participant(byte me, left, right)
{
	byte last, next = NIL;
	byte round, from;
	bool asking;              /* waits for the critical section, or is in it */
	bool owner;               /* has the token */

	owner = (me == 0);

end:	do
	:: round < ROUNDS && !asking ->
	   round++;
	   asking = true;
	   /* the root has the token or will get it, everybody else sends a request up the tree */
	   if
	   :: last != me -> LINK(me, last)!request(me); last = me
	   :: else
	   fi
	:: asking && owner ->
	   inside++;
	   assert(inside == 1);
	   inside--;
	   asking = false;
	   if
	   :: next != NIL -> owner = false; LINK(me, next)!token(me); next = NIL
	   :: else
	   fi
	:: LINK(left, me)?request(from)  -> goto answer
	:: LINK(right, me)?request(from) -> goto answer
	:: LINK(left, me)?token(_)       -> owner = true
	:: LINK(right, me)?token(_)      -> owner = true
	od;

answer:
	if
	:: last == me && asking  -> next = from
	:: last == me && !asking -> owner = false; LINK(me, from)!token(me)
	:: last != me            -> LINK(me, last)!request(from)
	fi;
	last = from;
	goto end
}

init {
	atomic {
		run participant(0, 1, 2);
		run participant(1, 2, 0);
		run participant(2, 0, 1)
	}
}
