byte x;
inline f(a) { a = 1 }
active proctype P() {
  f(x+1)
}
