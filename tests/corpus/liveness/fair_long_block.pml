/* Two ways through a long block lead to the same state, one of them with another process.
   expect-liveness: property=p mode=acceptance fair=1 violated=1
*/
chan c = [0] of { bit };
chan d = [0] of { bit };
byte bad;
active proctype P() {
	short n;
	do
	:: atomic {
		do :: n < 6000 -> n++ :: n == 6000 -> break od;
		if :: skip :: c!0; d?_ fi;
		n = 0; n = 0
	   }
	od
}
active proctype Q() {
	do :: atomic { c?_; d!0 } :: bad == 0 -> bad = 1 od
}
ltl p { <> (bad == 1) }
