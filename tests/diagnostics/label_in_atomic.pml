byte x;

init {
	atomic {
	entry:	x++;
		x--
	}
}
