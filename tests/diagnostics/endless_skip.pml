byte x;

init {
	do
	:: true
	:: x == 3 -> break
	od
}
