byte loop;

init {
loop:	loop++;
	goto loop
}
