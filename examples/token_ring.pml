/* A token ring: N stations, one token, a ring of buffered channels.

   A station that gets the token may use the shared medium once, then it passes
   the token on. Between its turns it does some work of its own, so that the
   stations have independent steps. The channels are handed to the stations as
   parameters.

   pv check examples/token_ring.pml                                verified, both properties too
   pv check examples/token_ring.pml --por --no-claims              verified: most interleavings of the
                                                                   work steps are not explored

   expect: verdict=verified stored=396167 matched=1394296 transitions=1790463 atomic=72049 depth=283724 errors=0
   expect-liveness: property=exclusive mode=acceptance fair=0 violated=0
   expect-liveness: property=circulates mode=acceptance fair=0 violated=0
*/

#ifndef N
#define N 5
#endif

chan link[N] = [1] of { byte };
byte holders;                 /* stations that hold the token */
bool using[N];

proctype station(chan from, to; byte me)
{
	byte round, work;

	do
	:: atomic { from?round -> holders++ };
	   assert(holders == 1);
	   if
	   :: using[me] = true; using[me] = false
	   :: skip
	   fi;
	   atomic { holders--; to!((me == 0 -> (round + 1) % 3 : round)) };
	   work = 2;
	   do
	   :: work > 0 -> work--
	   :: work == 0 -> break
	   od
	od
}

init {
	byte i;

	atomic {
		for (i : 0 .. N-1) {
			run station(link[i], link[(i + 1) % N], i)
		}
		link[0]!0
	}
}

ltl exclusive  { [] !(using[0] && using[1]) }
ltl circulates { [] (using[0] -> <> !using[0]) }
