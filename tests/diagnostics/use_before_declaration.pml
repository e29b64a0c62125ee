init {
	x = 1;
	byte x = 2;
	x++
}
