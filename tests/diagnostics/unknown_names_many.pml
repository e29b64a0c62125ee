byte left, right;

init {
	if
	:: lefft > 0 -> rigth = 1
	:: else -> up = 2
	fi
}
