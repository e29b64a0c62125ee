mtype:fruit = { apple, pear };
mtype:colour = { red, green };
mtype:fruit f;

init {
	f = red
}
