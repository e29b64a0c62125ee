/* A trace that is concerned with one of three channels, each the parameter of a process.

   expect: verdict=verified stored=87 matched=112 transitions=199 atomic=2 depth=19 errors=0
*/
chan q[3] = [2] of { byte };

trace {
	q[0]?1; q[0]?2
}

proctype Taker(chan inp) {
	byte got;
	inp?got; inp?got
}

init {
	atomic { run Taker(q[0]); run Taker(q[1]); run Taker(q[2]) };
	q[0]!1; q[1]!1; q[2]!1;
	q[0]!2; q[1]!2; q[2]!2
}
