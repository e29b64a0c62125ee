byte x;
init {
    if
    :: x == 1 -> x = 2
    :: else if (x == 2) -> x = 3
    fi
}
