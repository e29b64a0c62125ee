typedef T {
	byte a;
	bool a
};

T t;

init {
	t.a = 1
}
