/* Dining philosophers without a deadlock.

   Each fork is a channel of capacity one: the fork lies on the table when the
   message is in it. All philosophers but one take the left fork first; the last
   one takes the right fork first, so no circle of waiting can close.

   pv check examples/philosophers.pml                              verified
   pv check examples/philosophers.pml --por --deadlocks-only       verified with fewer states

   expect: verdict=verified stored=2287 matched=6403 transitions=8690 atomic=932 depth=1802 errors=0
*/

#ifndef N
#define N 6
#endif

chan fork[N] = [1] of { bit };
byte eating;                  /* ghost: how many eat now */

proctype philosopher(chan first, second)
{
end:	do
	:: first?_;
	   second?_;
	   atomic { eating++; assert(eating <= N/2) }
	   eating--;
	   second!1;
	   first!1
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N-1) {
			fork[i]!1
		}
		for (i : 0 .. N-2) {
			run philosopher(fork[i], fork[i+1])
		}
		run philosopher(fork[0], fork[N-1])
	}
}
