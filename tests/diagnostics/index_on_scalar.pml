byte x;
byte y;

init {
	y = x[1]
}
