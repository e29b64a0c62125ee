byte x;
inline set(v) { v = 1 }
inline set(v) { v = 2 }
init { set(x) }
