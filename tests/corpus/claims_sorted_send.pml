/* A sorted send may put a new head before the one who claims to receive alone.

   expect: verdict=violated stored=7 matched=1 transitions=8 atomic=2 depth=5 errors=1
*/
chan q = [3] of { byte };
byte x;

active proctype Sorter() { atomic { nempty(q) -> q!!1 } }
active proctype Claimant() {
	xr q;
	q!2;
	if
	:: q?1 -> assert(false)
	:: x = 1
	fi;
end:	x == 5;
	q?_;
	do
	:: x = 1
	od
}
