byte x;

init {
again:	x++ unless x == 3
}
