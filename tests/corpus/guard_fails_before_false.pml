/* A false operand does not block a guard if one before it can fail: the division by zero is met before `never_set` is looked
   at. SPIN errs here: what its C code does
   then is undefined, docs/spin-differences.md

   expect: verdict=violated stored=12 matched=7 transitions=19 atomic=0 depth=4 errors=3
*/
byte off, divisor = 2, never_set;

active proctype Stopper() { off = 1 }

active proctype Guarded() {
end:	(off == 0 && 10 / divisor == 1 && never_set);
	never_set = 1
}

active proctype Zero() {
	byte way;
	if
	:: way = 1
	:: way = 2
	fi;
	divisor = 0
}
