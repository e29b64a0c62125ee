/* Dining philosophers with the planted bug: everybody takes the left fork first.

   When all of them have their left fork, nobody can go on. There is one invalid
   end state; breadth-first search gives the shortest way to it: each philosopher
   takes one fork.

   pv check examples/philosophers_deadlock.pml                     violated: invalid end state
   pv check examples/philosophers_deadlock.pml --search bfs        the same, shortest

   expect: verdict=violated stored=573 matched=1399 transitions=1972 atomic=23 depth=403 errors=1
*/

#ifndef N
#define N 5
#endif

chan fork[N] = [1] of { bit };

proctype philosopher(byte seat)
{
	byte left = seat, right = (seat + 1) % N;

	do
	:: fork[left]?_;
	   fork[right]?_;
	   printf("philosopher %d eats\n", seat);
	   fork[right]!1;
	   fork[left]!1
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N-1) {
			fork[i]!1;
			run philosopher(i)
		}
	}
}
