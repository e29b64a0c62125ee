byte x;

init {
	d_step {
		x = 1;
		goto done
	};
	x = 2;
done:	skip
}
