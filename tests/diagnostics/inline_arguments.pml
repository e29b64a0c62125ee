byte x, y;
inline swap(a, b) { atomic { x = a; a = b; b = x } }
init { swap(x); swap(x, y, 3) }
