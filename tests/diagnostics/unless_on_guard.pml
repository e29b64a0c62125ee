byte x;

init {
	do
	:: x < 3 -> x++
	:: { x == 4; x = 1 } unless x == 5
	od
}
