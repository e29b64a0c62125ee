mtype = { red, green };
mtype light;

init {
	green = light
}
