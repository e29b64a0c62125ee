byte a[0];
byte n;
int b[n + 1];

init {
	skip
}
