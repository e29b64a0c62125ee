bit g1 = 3;
chan q2 = [0] of { pid }
active proctype P3() {
	byte l4 = g1;
	byte l6;
	L5: g1++;
	q2?1
}
active proctype P7() {
	pid l8 = g1;
	short l9;
	q2!3;
	{
		if
		::	nempty(q2);
			((l9 << 1) >= 3)
		::	byte l11;
			L10: q2?2
		fi
	} unless atomic {
		q2!3
	}
}
