/* Peterson's mutual exclusion for two processes.

   Both processes announce themselves, give the turn away, and wait until the
   other one is not interested or has given the turn back. The ghost variable
   `inside` counts who is in the critical section.

   pv check examples/peterson.pml --no-claims                      verified
   pv check examples/peterson.pml --property mutex                 verified
   pv check examples/peterson.pml --property enters_0 --fair       verified
   pv check examples/peterson.pml --property enters_0              violated: without fairness
                                                                   the scheduler may starve 0

   expect: verdict=verified stored=38 matched=27 transitions=65 atomic=0 depth=23 errors=0
   expect-liveness: property=mutex mode=acceptance fair=0 violated=0
   expect-liveness: property=enters_0 mode=acceptance fair=0 violated=1
   expect-liveness: property=enters_0 mode=acceptance fair=1 violated=0
*/

bool want[2];
byte turn;
byte inside;

active [2] proctype process()
{
	byte other = 1 - _pid;

	do
	:: want[_pid] = true;
	   turn = other;
	   (!want[other] || turn == _pid);
critical:
	   inside++;
	   assert(inside == 1);
	   inside--;
	   want[_pid] = false
	od
}

ltl mutex    { [] !(process[0]@critical && process[1]@critical) }
ltl enters_0 { [] (want[0] -> <> process[0]@critical) }
