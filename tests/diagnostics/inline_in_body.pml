byte x;
init {
    inline set(v) { v = 1 }
    set(x)
}
