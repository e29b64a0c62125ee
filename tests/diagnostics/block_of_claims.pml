chan q = [1] of { byte };

init {
	{ xr q }
}
