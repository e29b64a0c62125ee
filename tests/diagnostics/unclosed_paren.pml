byte x, y;
init {
    x = (y + 1;
    y = 2
}
