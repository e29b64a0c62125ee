init {
again:
    byte x;
    x = 1;
    goto again
}
