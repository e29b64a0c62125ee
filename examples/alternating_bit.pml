/* The alternating bit protocol over two lossy channels.

   The sender repeats a frame until the acknowledgement carries its bit; the
   receiver accepts a frame only if the bit is the one it waits for, and
   acknowledges everything. A third process steals frames and acknowledgements.
   The payload counts modulo 4, so that the receiver can assert that nothing is
   lost, doubled or reordered.

   pv check examples/alternating_bit.pml --no-claims               verified
   pv check examples/alternating_bit.pml --property no_skip        verified
   pv check examples/alternating_bit.pml --property delivers       violated: everything may be lost
   pv check examples/alternating_bit.pml --property honest_line    verified: what is fresh is what
                                                                   was sent

   expect: verdict=verified stored=141 matched=24 transitions=165 atomic=0 depth=72 errors=0
   expect-liveness: property=no_skip mode=acceptance fair=0 violated=0
   expect-liveness: property=delivers mode=acceptance fair=0 violated=1
   expect-liveness: property=honest_line mode=acceptance fair=0 violated=0
*/

#define MAX 4

chan data = [2] of { bit, byte };
chan acks = [2] of { bit };

byte sent, received;          /* payload last given to the line; last delivered */
bool fresh;                   /* set when the receiver delivers something new */

active proctype sender()
{
	bit b, a;

	do
	:: data!b,sent ->
	   do
	   :: acks?a ->
		if
		:: a == b -> b = 1 - b; sent = (sent + 1) % MAX; break
		:: else                       /* an old acknowledgement */
		fi
	   :: timeout -> data!b,sent          /* the frame or its answer was lost */
	   od
	od
}

active proctype receiver()
{
	bit b, want;
	byte m, next;

	do
	:: data?b,m ->
	   if
	   :: b == want ->
		assert(m == next);
		d_step { next = (next + 1) % MAX; want = 1 - want; received = m; fresh = true };
		fresh = false
	   :: else
	   fi;
	   acks!b
	od
}

active proctype thief()
{
	bit b;

	do
	:: data?b,_ -> skip
	:: acks?b -> skip
	od
}

ltl no_skip     { [] (received == sent || (received + 1) % MAX == sent) }
ltl delivers    { []<> fresh }
ltl honest_line { [] (fresh -> received == sent) }
