byte q;

init {
	q!1;
	q?1
}
