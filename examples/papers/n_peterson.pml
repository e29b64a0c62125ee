/* Peterson's mutual exclusion for N processes: N - 1 levels, and on each level the last one to come waits.

   A process that wants the critical section climbs from level 1 to level N - 1. On each level it says how far it is (`at`), and that it came
   last (`last`). It goes on when all others are on lower levels, or when somebody else came after it.

   This is n_peterson of the papers on hub states, serialization and disk, which have it as rules of another language; each step here is one
   rule there, and the state spaces agree. The papers count states up to symmetry; without that there are, in both languages,

   N = 3   882 states
   N = 4   22,281 states
   N = 5   628,868 states (hub paper, Fig. 7: n_peterson with 7 processes has 163,298 up to symmetry)

   pv check examples/papers/n_peterson.pml -DN=5 --full --search bfs

   expect: verdict=verified stored=882 matched=1159 transitions=2041 atomic=81 depth=211 errors=0
*/

#ifndef N
#define N 3
#endif

byte at[8];
byte last[9];
byte inside;

#define ME         (_pid + 1)
#define BELOW(i)   (i >= N || i == _pid || at[i] < level)
#define MAY_PASS   ((BELOW(0) && BELOW(1) && BELOW(2) && BELOW(3) && BELOW(4) && BELOW(5) && BELOW(6) && BELOW(7)) || last[level] != ME)

active [N] proctype process()
{
	byte level;

	do
	:: level = 1;
		do
		:: at[_pid] = level;
			last[level] = ME;
			if
			:: d_step { MAY_PASS && level < N - 1 -> level++ }
			:: d_step { MAY_PASS && level == N - 1 -> level++; inside++; assert(inside == 1) }; break
			fi
		od;
		atomic { inside--; at[_pid] = 1 }
	od
}
