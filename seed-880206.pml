mtype = { ma, mb }
typedef T1 { byte f; bit b; short a[2] }
T1 s2[2];
T1 s3;
byte g4;
byte g5;
byte g6[4];
chan q7 = [0] of { mtype, bool }
chan q8 = [2] of { mtype, mtype }
chan q9 = [0] of { mtype }
proctype R10() {
	goto L13;
	bool l14;
	L13: g4--;
	q9?s2[1].f;
	L12: s3.f = 3;
	s3.b = 1;
	L11: s2[1].b++;
	L15: 
}
active proctype P16() {
	int l17;
	full(q8);
	L18: s2[0].f = 300;
	L19: g5 = s2[0].f
}
active proctype P20() {
	unsigned l21 : 2;
	s2[(2) & 1].f = 3;
	L24: s3.b = (!(g5) / 2);
	L23: s3.f = 1;
	L22: s3.f--;
	goto L23;
	run R10();
	L25: 
}
init {
	assert(q7?[eval(1), g4] >= 2);
	q9!_pid;
	L26: s3.b++;
	L27: g5 = !(!(s3.f));
	do
	::	q8??[s2[0].f, g5];
		d_step {
			assert(2 != 1);
			mtype l29;
			if
			::	s2[1].f = 1
			::	l29 = g6[2]
			::	else;
				s3.b = 0
			fi
		};
		L28: s3.f = (g4 >> 1)
	::	g6[0] = 1;
		q9!1
	::	else
	::	(_pid < 0) && (3 <= 1);
		{
			q8!_nr_pr, 2
		} unless {
			q9?g5;
			q9?eval((g4 >> 1))
		}
	od
}
