/* A byte-stream transport in the manner of the Universal Receiver Protocol, with a stream that ends.

   The sender cuts its stream into blocks: a few data bytes and a trailer with the
   number of the block. All the cleverness is in one universal receiver, which
   counts the bytes in front of a trailer, hands a block that is whole and in
   order to its user and acknowledges it, and rejects one that is not, once. A
   sender that is rejected or hears nothing enquires; the receiver forgets the bytes
   of an unfinished block and echoes the number of the last good one, and the
   sender goes on after it. Before the first block both sides initialise. The
   line loses LOSSES messages at the most, any of them; it never reorders.

   This is URP of the state-space caching paper; the model is our own, written from
   the idea of the protocol. (In examples/urp.pml the stream and the losses have no
   end.) In brackets the paper's numbers:

   pv check examples/papers/urp.pml --full                 16,318 states (15,378), 27,291 matched (27,709), depth 187 (202)
   pv check examples/papers/urp.pml --sleep                the same states, 901 matched (1,884)
   pv check examples/papers/urp.pml --sleep --cache 230    2.9 times the transitions of the full search, with room for the longest path

   expect: verdict=verified stored=16318 matched=27291 transitions=43609 atomic=7168 depth=187 errors=0
*/

#ifndef BLOCKS
#define BLOCKS 6              /* in the stream */
#endif
#define LOSSES 1
#define WINDOW 2              /* blocks that may be on the way */
#define LENGTH 2              /* bytes in a block */
#define NUMBERS 3             /* block numbers */
#define BODIES 2              /* different blocks */

mtype = { Init, Byte, Trailer, Enquiry,         /* sender to receiver */
          AckInit, Ack, Reject, Echo };         /* receiver to sender */

chan down = [2] of { mtype, byte };
chan up   = [1] of { mtype, byte };
chan out  = [0] of { byte };                    /* receiver to its user */

#define next(n)  (((n) + 1) % NUMBERS)
#define prev(n)  (((n) + NUMBERS - 1) % NUMBERS)

/* Everything up to block n has arrived; `rest` blocks are still on the way. */
inline arrived(n, rest)
{
	d_step {
		i = (next(n) + NUMBERS - first) % NUMBERS;
		if
		:: i <= sent ->
			first = next(n);
			body = (body + i) % BODIES;
			left = left - i;
			sent = rest
		:: else
		fi;
		i = 0; n = 0
	}
}

active proctype sender()
{
	byte first, body;             /* the oldest block that is not acknowledged, and what is in it */
	byte sent;                    /* blocks sent after that one, itself included */
	byte left = BLOCKS;           /* blocks that are not acknowledged */
	bool asked;                   /* quiet until the receiver has echoed */
	byte i, n;

	down!Init(0);
	do
	:: up?AckInit(_) -> break
	:: timeout -> down!Init(0)
	od;
end:	do
	:: sent < WINDOW && sent < left && !asked ->
	   for (i : 1 .. LENGTH) {
		down!Byte((body + sent) % BODIES)
	   }
	   i = 0;
	   down!Trailer((first + sent) % NUMBERS);
	   sent++
	:: up?Ack(n) -> arrived(n, sent - i)
	:: up?Reject(_) -> down!Enquiry(0); asked = true
	:: up?Echo(n) -> arrived(n, 0); asked = false
	:: up?AckInit(_)                      /* of an Init that was sent twice */
	:: left > 0 && timeout -> down!Enquiry(0); asked = true
	od
}

active proctype receiver()
{
	byte want, body;              /* number and contents of the block that is to come */
	byte count, n, m;
	bool whole = true;            /* all bytes so far belong together */
	bool rejected;                /* one complaint is enough */

	down?Init(_);
	up!AckInit(0);
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
		out!body;
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

/* Every block arrives once and in order. */
active proctype consumer()
{
	byte body, got;

end:	do
	:: out?got -> assert(got == body); body = (body + 1) % BODIES; got = 0
	od
}

active proctype noise()
{
	byte lost;

end:	do
	:: atomic { lost < LOSSES && nempty(down) -> down?_,_; lost++ }
	:: atomic { lost < LOSSES && nempty(up) -> up?_,_; lost++ }
	od
}
