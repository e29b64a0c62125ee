byte x;

init {
	if
	:: x == 1 -> break
	:: else
	fi
}
