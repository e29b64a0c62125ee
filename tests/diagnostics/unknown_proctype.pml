proctype sender() { skip }

init {
	run sendre()
}
