byte a[4];
byte x;

init {
	x = a;
	a = 3
}
