chan q = [2] of { byte, bool };
byte x;

init {
	q!1, true, 3;
	q?x, _, _
}
