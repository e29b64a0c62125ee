/* SPIN errs here: the jump behind the call goes to the label inside the inline, which was set last, and not to the one of
   the body it stands in; it goes round there until n is full. (docs/spin-differences.md)
   expect: verdict=verified stored=17 matched=0 transitions=17 atomic=0 depth=16 errors=0
*/
byte n;
inline again(k) { skip; L: n++; if :: n < k -> goto L :: else fi }
active proctype P() {
	byte r;
L:	r++;
	again(3);
	if :: r < 2 -> goto L :: else fi;
	assert(r == 2)
}
