byte a[3];

init {
	a[a[0]] = 1
}
