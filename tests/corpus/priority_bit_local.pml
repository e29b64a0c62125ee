/* A bit of a process in a model with priorities. SPIN's verifier does not compare it: it counts the bytes of a process without
   its priority, and takes the bits behind it for padding. SPIN errs here: docs/spin-differences.md. The counts are those
   that SPIN gives without `priority 2`.
   expect: verdict=violated stored=4 matched=1 transitions=5 atomic=0 depth=3 errors=1
*/
init priority 2 {
	bit b;
	do
	:: b == 0 -> b = 1
	:: b == 1 -> assert(false)
	od
}
