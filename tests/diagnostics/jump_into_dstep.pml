byte x;

init {
	do
	:: x < 3 -> x++
	:: else -> break
	od;
	d_step {
		x = 1;
		x = 2
	}
}
