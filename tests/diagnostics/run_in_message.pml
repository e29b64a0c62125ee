proctype P() { skip }
chan q = [1] of { pid };

init {
	q!run P()
}
