/* Go-back-N with a window of 2, sequence numbers modulo 4, over a lossy line.

   The sender may have W unacknowledged frames on the way. When nothing moves any
   more (`timeout`) it starts again at the oldest of them. The receiver takes only
   the frame it waits for and answers every frame with the number it expects
   next; acknowledgements are cumulative. Frames and acknowledgements may be
   dropped at the moment they are sent. The payload counts modulo 5, which shares
   no factor with the sequence numbers, so a wrong match would show.

   pv check examples/go_back_n.pml                                 verified
   pv check examples/go_back_n.pml -D W=4                          violated: the window must be
                                                                   smaller than the number space

   expect: verdict=verified stored=12477 matched=11125 transitions=23602 atomic=0 depth=1770 errors=0
*/

#ifndef W
#define W 2
#endif
#define S 4                   /* sequence numbers */
#define P 5                   /* payloads */

mtype = { frame, ack };

chan down = [2] of { mtype, byte, byte };
chan up   = [2] of { mtype, byte };

inline transmit(seq, body)
{
	if
	:: down!frame,seq,body
	:: skip                       /* lost */
	fi
}

active proctype sender()
{
	byte base, count;             /* oldest unacknowledged number; how many are on the way */
	byte body;                    /* payload of the oldest one */
	byte n, i;

end:	do
	:: count < W ->
	   transmit((base + count) % S, (body + count) % P);
	   count++
	:: up?ack,n ->
	   /* n is what the receiver expects: everything before it has arrived */
	   d_step {
		i = (n + S - base) % S;
		if
		:: i <= count ->
			base = n;
			body = (body + i) % P;
			count = count - i
		:: else
		fi;
		i = 0; n = 0
	   }
	:: timeout ->
	   i = 0;
	   do
	   :: i < count -> transmit((base + i) % S, (body + i) % P); i++
	   :: else -> i = 0; break
	   od
	od
}

active proctype receiver()
{
	byte want, next, n, m;

end:	do
	:: down?frame,n,m ->
	   if
	   :: n == want ->
		assert(m == next);
		want = (want + 1) % S;
		next = (next + 1) % P
	   :: else
	   fi;
	   if
	   :: up!ack,want
	   :: skip                    /* lost */
	   fi
	od
}
