/* Naimi and Trehel's mutual exclusion with log(n) messages, three participants.

   Each participant keeps two pointers: `last`, its guess who asked last and so
   will own the token (the guesses form a tree whose root is the last requester),
   and `next`, to whom it hands the token when it is done. A request travels along
   `last`, and every participant on the way turns its pointer to the requester.
   The token travels along `next`.

   Each participant is two processes: a user, who wants the critical section
   ROUNDS times, and an agent, who has the pointers and talks to the other agents.
   User and agent shake hands; there is one channel for each sender and receiver.
   So moves of different participants hardly ever depend on each other, and
   sleep sets leave few states that are met twice. That is what a small cache
   needs.

   This is MULOG3 of the state-space caching paper; the model is our own. (The
   one in examples/mulog3.pml has one process for each participant.) In brackets
   the paper's numbers:

   pv check examples/papers/mulog3.pml --full                  95,503 states (100,195), 245,709 matched (254,183), depth 118 (119)
   pv check examples/papers/mulog3.pml --sleep                 the same states, 5,445 matched (3,736)
   pv check examples/papers/mulog3.pml --sleep --cache 1000    0.32 times the transitions of the full search
   pv check examples/papers/mulog3.pml --sleep --cache 120     0.50 times, with room for the longest path and nothing else
   pv check examples/papers/mulog3.pml                         leaves out most of the states as well

   expect: verdict=verified stored=95503 matched=245709 transitions=341212 atomic=0 depth=118 errors=0
*/

#ifndef ROUNDS
#define ROUNDS 1
#endif
#define N          3
#define NIL        255
#define LINK(a, b) link[(a) * N + (b)]

mtype = { request, token };

chan link[N * N] = [2] of { mtype, byte };

/* Between a user and the agent of the same participant. */
chan ask[N]  = [0] of { bit };
chan got[N]  = [0] of { bit };
chan done[N] = [0] of { bit };

byte inside;                  /* ghost: users in the critical section */

proctype user(byte me)
{
	byte round;

	do
	:: round < ROUNDS ->
	   round++;
	   skip;                  /* outside, for a while */
	   ask[me]!1;
	   got[me]?1;
	   skip;                  /* on its way in */
	   inside++;
	   assert(inside == 1);
	   skip;                  /* in the critical section */
	   inside--;
	   skip;                  /* on its way out */
	   done[me]!1
	:: round == ROUNDS -> break
	od
}

proctype agent(byte me, left, right)
{
	byte last, next = NIL;
	byte from;
	bool asking;              /* the user waits for the critical section, or is in it */
	bool using;               /* the user is in it */
	bool owner;               /* has the token */

	owner = (me == 0);

end:	do
	:: ask[me]?1 ->
	   asking = true;
	   /* the root has the token or will get it, everybody else sends a request up the tree */
	   if
	   :: last != me -> LINK(me, last)!request(me); last = me
	   :: else
	   fi
	:: asking && owner && !using -> got[me]!1; using = true
	:: done[me]?1 ->
	   using = false;
	   asking = false;
	   if
	   :: next != NIL -> LINK(me, next)!token(me); owner = false; next = NIL
	   :: else
	   fi
	:: LINK(left, me)?request(from)  -> goto answer
	:: LINK(right, me)?request(from) -> goto answer
	:: LINK(left, me)?token(_)       -> owner = true
	:: LINK(right, me)?token(_)      -> owner = true
	od;

answer:
	skip;                     /* looks at its pointers */
	if
	:: last == me && asking  -> next = from
	:: last == me && !asking -> owner = false; LINK(me, from)!token(me)
	:: last != me            -> LINK(me, last)!request(from)
	fi;
	last = from;
	goto end
}

init {
	run agent(0, 1, 2);
	run agent(1, 2, 0);
	run agent(2, 0, 1);
	run user(0);
	run user(1);
	run user(2)
}
