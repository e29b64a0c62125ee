proctype P() {
critical:	skip
}

init {
	run P();
	P[1]@crtical
}
