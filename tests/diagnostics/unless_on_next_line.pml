byte x;
init {
    (x == 1)
    unless { x == 2 }
}
