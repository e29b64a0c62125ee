mtype = { ma, mb, mc }
unsigned g1 : 2 = 1;
bit g2[2] = { 1, 2 }
active proctype P3() {
	short l4 = g2[(1) & 1];
	goto L6;
	L5: g2[1] = 3;
	L6: g1 = 1
}
