/* A sliding window protocol with selective repeat.

   Window of 2 on both sides, sequence numbers modulo 4. The receiver buffers a
   frame that arrives out of order and acknowledges each frame by its own number;
   the sender repeats single frames. A process in the middle may lose the frames
   that pass, and the receiver's acknowledgements may get lost as they are sent.
   The state of each side is a typedef with arrays, and the line is a process that
   takes its channels as parameters.

   pv check examples/sliding_window.pml                            verified
   pv check examples/sliding_window.pml --sleep                    the same states, few matches

   expect: verdict=verified stored=446365 matched=932305 transitions=1378670 atomic=2 depth=94166 errors=0
*/

#define W 2                   /* window */
#define S 4                   /* sequence numbers: 2 * W */
#define P 3                   /* payloads, to tell frames apart */

typedef Window {
	byte low;             /* number of the first frame in the window */
	byte body;            /* its payload */
	bool done[W]          /* acknowledged, or received */
};

chan s_out = [1] of { byte, byte };
chan r_in  = [1] of { byte, byte };
chan acks  = [1] of { byte };

proctype line(chan from, to)
{
	byte n, m;

	do
	:: from?n,m ->
	   if
	   :: to!n,m
	   :: skip                    /* lost */
	   fi
	od
}

inline slide(w)
{
	do
	:: w.done[0] ->
		w.low = (w.low + 1) % S;
		w.body = (w.body + 1) % P;
		w.done[0] = w.done[1];
		w.done[1] = false
	:: else -> break
	od
}

proctype sender()
{
	Window w;
	byte n;

	do
	:: !w.done[0] -> s_out!w.low,w.body
	:: !w.done[1] -> s_out!(w.low + 1) % S,(w.body + 1) % P
	:: acks?n ->
	   d_step {
		n = (n + S - w.low) % S;
		if
		:: n < W -> w.done[n] = true
		:: else                       /* acknowledged before */
		fi;
		slide(w);
		n = 0
	   }
	od
}

proctype receiver()
{
	Window w;
	byte n, m, k;

	do
	:: r_in?n,m ->
	   d_step {
		k = (n + S - w.low) % S;
		if
		:: k < W ->
			assert(m == (w.body + k) % P);
			w.done[k] = true
		:: else                       /* an old frame once more */
		fi;
		slide(w);
		k = 0; m = 0
	   }
	   if
	   :: acks!n
	   :: skip                    /* lost */
	   fi;
	   n = 0
	od
}

init {
	atomic {
		run line(s_out, r_in);
		run sender();
		run receiver()
	}
}
