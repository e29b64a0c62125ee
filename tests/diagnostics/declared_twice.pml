byte turn;
bit turn;

init {
	turn = 1
}
