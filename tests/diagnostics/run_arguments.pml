proctype P(byte id; chan out) {
	out!id
}

chan q = [1] of { byte };

init {
	run P(1);
	run P(1, q, 2);
	run P(1, q)
}
