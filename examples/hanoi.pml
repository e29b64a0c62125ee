/*
 * The towers of Hanoi: DISKS disks on three pegs, and never a larger disk on a smaller one.
 *
 * A state space that is deep and narrow: 3^DISKS states in 2^DISKS levels, breadth first. With -DDISKS=12 it has 531,441 states in 4,096
 * levels of 130 states on average, which is what searches on disk fear: a look at all visited states at the end of each level.
 *
 * The assertion says that no disk is lost and none is on two pegs.

   expect: verdict=verified stored=2188 matched=6559 transitions=8747 atomic=0 depth=1460 errors=0
*/

#ifndef DISKS
#define DISKS 7
#endif

#define ALL ((1 << DISKS) - 1)

/* A peg as a set of disks, one bit for each; the smallest disk is the lowest bit. */
int peg[3];
hidden int disk;

#define TOP(p)       (peg[p] & -peg[p])
#define MAY(p, q)    (peg[p] != 0 && (peg[q] == 0 || TOP(p) < TOP(q)))

inline move(p, q) {
	d_step {
		MAY(p, q) ->
		disk = TOP(p);
		peg[p] = peg[p] - disk;
		peg[q] = peg[q] + disk
	}
}

active proctype player()
{
	peg[0] = ALL;
end:	do
	:: move(0, 1)
	:: move(0, 2)
	:: move(1, 0)
	:: move(1, 2)
	:: move(2, 0)
	:: move(2, 1)
	:: assert((peg[0] ^ peg[1] ^ peg[2]) == ALL && peg[0] + peg[1] + peg[2] == ALL)
	od
}
