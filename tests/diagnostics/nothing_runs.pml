byte x;

proctype P() {
	x++
}
