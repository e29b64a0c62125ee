byte x;

init {
	x++ unless stop: x == 3
}
