proctype P() { skip }
proctype P() { skip }

init {
	run P()
}
