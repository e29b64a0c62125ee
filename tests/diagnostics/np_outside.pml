init {
	np_
}
