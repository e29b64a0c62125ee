byte x;

init {
	if
	:: if
	   :: x == 1 -> x = 2
	   :: else -> x = 3
	   fi
	:: else -> x = 4
	fi
}
