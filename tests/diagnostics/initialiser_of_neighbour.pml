byte a = 1, b = a;

init {
	b++
}
