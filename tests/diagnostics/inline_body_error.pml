byte x;
inline set(v) {
    v = = 1
}
init { set(x); set(x) }
