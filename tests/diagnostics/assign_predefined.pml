init {
	_pid = 3;
	_nr_pr++
}
