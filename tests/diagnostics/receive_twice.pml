chan q = [2] of { byte, byte };
byte x;

init {
	q?x, x
}
