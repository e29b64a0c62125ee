/* Peterson's algorithm for N processes: the filter lock.

   A process climbs N-1 levels. At each level it makes itself the last one to
   arrive and waits until nobody else stands at this level or above, or until a
   later one has arrived. Each test of the waiting loop is a step of its own, as
   in a real machine: the processes may overtake each other in the middle of it.
   With N=3 there are a hundred thousand states; try -D N=2, and with patience -D N=4.

   pv check examples/petersonn.pml                                 verified
   pv check examples/petersonn.pml --por                           the same with fewer states

   expect: verdict=verified stored=105432 matched=196295 transitions=301727 atomic=0 depth=24188 errors=0
*/

#ifndef N
#define N 3
#endif

byte level[N];        /* 0: not interested */
byte last[N];         /* last[l]: who arrived last at level l */
byte inside;

active [N] proctype process()
{
	byte l, k;

	do
	:: for (l : 1 .. N-1) {
		level[_pid] = l;
		last[l] = _pid;
		k = 0;
		do
		:: k == N -> break
		:: k < N && (k == _pid || level[k] < l) -> k++
		:: k < N && last[l] != _pid -> break
		od
	   }
	   inside++;
	   assert(inside == 1);
	   inside--;
	   level[_pid] = 0
	od
}
