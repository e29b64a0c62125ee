byte x;

init {
	select (x : 7 .. 3)
}
