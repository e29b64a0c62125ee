byte x;
init {
    do
    :: x == 0 -> x = 1
    ::
    od
}
