/* The same with the divisor set to zero by the process itself, on its way to the guard. SPIN errs here: what its C code does
   then is undefined, docs/spin-differences.md

   expect: verdict=violated stored=6 matched=2 transitions=8 atomic=0 depth=2 errors=1
*/
byte off, divisor = 1, never_set;

active proctype Stopper() { off = 1 }

active proctype Guarded() {
	if
	:: divisor = 0
	:: divisor = 2
	fi;
end:	(off == 0 && 10 / divisor == 1 && never_set);
	never_set = 1
}
