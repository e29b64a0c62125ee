chan q = [4] of { byte };
byte n;

init {
	n = q + 1
}
