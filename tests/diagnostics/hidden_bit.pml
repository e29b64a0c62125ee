hidden bit flag;

init {
	hidden byte x;
	x = flag
}
