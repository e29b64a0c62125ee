byte x;
init { set(x, 1) }
inline set(v, e) { v = e }
