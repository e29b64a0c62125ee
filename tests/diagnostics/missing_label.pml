byte x;

init {
start:	x++;
	if
	:: x < 3 -> goto strat
	:: else
	fi
}
