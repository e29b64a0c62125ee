/* The label of an inline has the name of one around its call; both are jumped to.
   expect: verdict=verified stored=12 matched=0 transitions=12 atomic=0 depth=11 errors=0
*/
byte n;
inline again(k) {
	skip;
L:	if :: n < k -> n++; goto L :: else fi
}
active proctype P() {
L:	n = 0;
	again(3);
	assert(n == 3)
}
