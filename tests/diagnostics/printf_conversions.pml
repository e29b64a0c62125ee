byte x;

init {
	printf("%d and %d of %s\n", x)
}
