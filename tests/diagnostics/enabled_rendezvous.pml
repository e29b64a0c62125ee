chan q = [0] of { byte };

init {
	skip
}

never {
	enabled(0)
}
