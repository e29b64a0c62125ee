/* Naimi and Trehel's mutual exclusion with log(n) messages, three participants.

   Each participant keeps two pointers: `last`, its guess who asked last and so
   will own the token (the guesses form a tree whose root is the last requester),
   and `next`, to whom it hands the token when it is done. A request travels along
   `last`, and every participant on the way turns its pointer to the requester.
   The token travels along `next`.

   Each participant is a user, who wants the critical section ROUNDS times, and an
   agent that answers messages while the user waits, works or sleeps. Requests
   are sorted by their receiver: one mailbox per participant. This is MULOG3 of
   the state-space caching paper (100,195 states there); the model is our own.

   pv check examples/mulog3.pml                                    verified
   pv check examples/mulog3.pml --sleep                            the same states, few matches
   pv check examples/mulog3.pml --sleep --cache 2000               and few of them stored

   expect: verdict=verified stored=85836 matched=131044 transitions=216880 atomic=205850 depth=211 errors=0
*/

#ifndef ROUNDS
#define ROUNDS 3
#endif
#define N   3
#define NIL 255

mtype = { request, token };

chan mail[N] = [N] of { mtype, byte };

byte last[N];
byte next[N] = NIL;
bool asking[N];               /* waits for the critical section, or is in it */
bool owner[N];                /* has the token */
byte inside;                  /* ghost: users in the critical section */

proctype user(byte me)
{
	byte round;

	do
	:: round < ROUNDS ->
	   round++;
	   /* ask: the root already has the token, everybody else sends a request up the tree */
	   atomic {
		asking[me] = true;
		if
		:: last[me] != me -> mail[last[me]]!request(me); last[me] = me
		:: else
		fi
	   }
	   owner[me];
	   inside++;
	   assert(inside == 1);
	   inside--;
	   /* release */
	   atomic {
		asking[me] = false;
		if
		:: next[me] != NIL -> owner[me] = false; mail[next[me]]!token(me); next[me] = NIL
		:: else
		fi
	   }
	:: else -> break
	od
}

proctype agent(byte me)
{
	byte from;

end:	do
	:: mail[me]?request(from) ->
	   atomic {
		if
		:: last[me] == me && asking[me]  -> next[me] = from
		:: last[me] == me && !asking[me] -> owner[me] = false; mail[from]!token(me)
		:: last[me] != me                -> mail[last[me]]!request(from)
		fi;
		last[me] = from
	   }
	:: mail[me]?token(_) ->
	   owner[me] = true
	od
}

init {
	byte i;

	atomic {
		owner[0] = true;
		for (i : 0 .. N-1) {
			run agent(i)
		}
		for (i : 0 .. N-1) {
			run user(i)
		}
	}
}
