chan q = [1] of { byte };

init {
	skip
}

never {
	q!1
}
