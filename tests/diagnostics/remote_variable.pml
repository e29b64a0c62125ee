proctype P() {
	byte count;
	count++
}

init {
	run P();
	P[1]:cnt == 1
}
