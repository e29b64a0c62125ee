proctype P() { skip }

init {
	d_step {
		skip;
		run P()
	}
}
