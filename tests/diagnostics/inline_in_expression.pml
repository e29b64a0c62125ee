byte x;
inline next(v) { v = v + 1 }
init { x = 1 + next(x) }
