/* Leader election in a ring with one direction (Chang and Roberts).

   Every node sends its name around. A node passes larger names on and drops
   smaller ones; whoever gets its own name back is the leader and tells the
   others. Nodes wake up at any time, or when the first message reaches them. The
   names are put on the ring in any order: `init` chooses one.

   pv check examples/leader_ring.pml --no-claims                   verified
   pv check examples/leader_ring.pml --property one_leader         verified
   pv check examples/leader_ring.pml --property elected            verified

   expect: verdict=verified stored=54964 matched=97007 transitions=151971 atomic=3161 depth=104 errors=0
   expect-liveness: property=one_leader mode=acceptance fair=0 violated=0
   expect-liveness: property=elected mode=acceptance fair=0 violated=0
*/

#ifndef N
#define N 4
#endif

mtype = { candidate, leader };

chan link[N] = [N] of { mtype, byte };
byte leaders, decided;

proctype node(chan from, to; byte name)
{
	byte other;
	bool awake;

	do
	:: !awake -> awake = true; to!candidate(name)
	:: from?candidate(other) ->
	   if
	   :: other > name -> awake = true; to!candidate(other)
	   :: other < name ->
		if
		:: awake                      /* its name goes no further */
		:: else -> awake = true; to!candidate(name)
		fi
	   :: other == name ->
		leaders++;
		assert(name == N);
		to!leader(name)
	   fi
	:: from?leader(other) ->
	   assert(other == N);
	   decided++;
	   if
	   :: other != name -> to!leader(other)
	   :: else
	   fi;
	   break
	od
}

init {
	byte i, name;
	bool given[N + 1];

	atomic {
		do
		:: i < N ->
			select(name : 1 .. N);
			do
			:: given[name] -> name = name % N + 1
			:: else -> break
			od;
			given[name] = true;
			run node(link[i], link[(i + 1) % N], name);
			i++
		:: else -> break
		od;
		d_step { i = 0; name = 0 }
	}
}

ltl one_leader { [] (leaders <= 1) }
ltl elected    { <> (decided == N) }
