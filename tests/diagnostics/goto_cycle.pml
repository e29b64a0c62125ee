init {
a:	goto b;
b:	goto a
}
