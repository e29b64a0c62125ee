proctype P() { skip }

init {
	pid p = run P();
	p == 1
}
