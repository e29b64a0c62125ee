byte x;

init {
	x.low = 1
}
