/* A byte-stream transport in the manner of the Universal Receiver Protocol.

   The sender cuts its stream into blocks: a few data bytes and a trailer with the
   number of the block. All the cleverness is in one universal receiver, which
   counts the bytes in front of a trailer, acknowledges a block that is whole and
   in order, and rejects one that is not, once. A sender that is rejected or hears
   nothing enquires; the receiver forgets the bytes of an unfinished block and
   echoes the number of the last good one, and the sender goes on after it. Before the first block both sides initialise. The line loses
   single bytes, which makes short blocks, and control messages; it never reorders.

   The protocol is that of URP in the state-space caching paper (15,378 states
   there); the model is our own, written from the idea of the protocol.
   papers/urp.pml is one whose counts are near the paper's.

   pv check examples/urp.pml                                       verified
   pv check examples/urp.pml --sleep --cache 1000                  verified with few states stored

   expect: verdict=verified stored=11020 matched=13918 transitions=24938 atomic=0 depth=836 errors=0
*/

#ifndef WINDOW
#define WINDOW 2              /* blocks that may be on the way */
#endif
#define LENGTH 2              /* bytes in a block */
#define NUMBERS 3             /* block numbers */
#define BODIES 2              /* different blocks */

mtype = { Init, Byte, Trailer, Enquiry,         /* sender to receiver */
          AckInit, Ack, Reject, Echo };         /* receiver to sender */

chan down = [2] of { mtype, byte };
chan up   = [1] of { mtype, byte };

#define next(n)  (((n) + 1) % NUMBERS)
#define prev(n)  (((n) + NUMBERS - 1) % NUMBERS)

/* Everything up to block n has arrived: go on with the one after it. */
inline back_to(n)
{
	d_step {
		i = (next(n) + NUMBERS - first) % NUMBERS;
		if
		:: i <= sent -> first = next(n); body = (body + i) % BODIES; sent = 0
		:: else
		fi;
		i = 0; n = 0; asked = false
	}
}

active proctype sender()
{
	byte first, body;             /* the oldest block that is not acknowledged, and what is in it */
	byte sent;                    /* blocks sent after that one, itself included */
	bool asked;                   /* quiet until the receiver has echoed */
	byte i, n;

	down!Init(0);
	do
	:: up?AckInit(_) -> break
	:: timeout -> down!Init(0)
	od;
end:	do
	:: sent < WINDOW && !asked && empty(up) ->
	   for (i : 1 .. LENGTH) {
		down!Byte((body + sent) % BODIES)
	   }
	   i = 0;
	   down!Trailer((first + sent) % NUMBERS);
	   sent++
	:: up?Ack(n) ->
	   d_step {
		i = (next(n) + NUMBERS - first) % NUMBERS;
		if
		:: i <= sent ->
			first = next(n);
			body = (body + i) % BODIES;
			sent = sent - i
		:: else
		fi;
		i = 0; n = 0
	   }
	:: up?Reject(_) -> down!Enquiry(0); asked = true
	:: up?Echo(n) -> back_to(n)
	:: up?AckInit(_)                      /* of an Init that was sent twice */
	:: timeout -> down!Enquiry(0); asked = true
	od
}

active proctype receiver()
{
	byte want, body;              /* number and contents of the block that is to come */
	byte count, n, m;
	bool whole = true;            /* all bytes so far belong together */
	bool rejected;                /* one complaint is enough */

	do
	:: down?Init(_) -> up!AckInit(0); break
	od;
end:	do
	:: down?Init(_) -> up!AckInit(0)
	:: down?Byte(m) ->
	   d_step {
		if
		:: m != body -> whole = false
		:: else
		fi;
		if
		:: count <= LENGTH -> count++
		:: else
		fi;
		m = 0
	   }
	:: down?Trailer(n) ->
	   if
	   :: n == want && count == LENGTH ->
		assert(whole);
		d_step { want = next(want); body = (body + 1) % BODIES; rejected = false };
		up!Ack(n)
	   :: else ->
		if
		:: rejected
		:: else -> rejected = true; up!Reject(prev(want))
		fi
	   fi;
	   d_step { count = 0; whole = true; n = 0 }
	:: down?Enquiry(_) ->
	   d_step { count = 0; whole = true; rejected = false };
	   up!Echo(prev(want))
	od
}

active proctype noise()
{
end:	do
	:: down?_,_
	:: up?_,_
	od
}
