typedef Pair { byte a; byte b };
Pair p, q;
byte x;

init {
	p = q;
	x = p
}
