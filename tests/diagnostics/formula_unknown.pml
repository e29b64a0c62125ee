bool request, granted;

ltl answered { [] (request -> <> grantet) }

init {
	request = true
}
