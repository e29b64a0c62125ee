unsigned g2 : 1;
chan q4 = [3] of { pid, int, int }
inline I5(z6, z7) {
	q4?z6, _, _
}
active proctype P9() {
	I5(g2, g2)
}
active proctype P13() {
	q4!1, 1, 2;
	q4!3, 0, 1;
	skip
}
init {
	I5(g2, 2)
}
