byte x;

init {
again:	x++;
again:	x--
}
