proctype P() { skip }
bool ok;

init {
	(ok && run P())
}
