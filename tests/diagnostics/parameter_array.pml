typedef Window {
	byte first;
	bool taken[4]
};

proctype P(byte a[2]; Window w) {
	a[0] = w.first
}

init {
	skip
}
