inline a(x) { b(x) }
inline b(x) { a(x) }
byte v;
init { a(v) }
