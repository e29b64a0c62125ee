/* SPIN errs here: when P has ended nothing can move, and the claim goes around alone, through its accepting state, which
   is fair to everybody. pan -a reports the cycle, pan -a -f does not. See docs/spin-differences.md.

   expect-liveness: property=- mode=acceptance fair=0 violated=1
   expect-liveness: property=- mode=acceptance fair=1 violated=1
*/
active proctype P() { skip }
never {
accept_S:	if :: true -> goto T1 fi;
T1:	if :: true -> goto accept_S fi;
}
