byte x;
inline f(a) { a = 1 }
inline g(a) { assert(a = 1) }
active proctype P() {
  f(3);
  g(x)
}
