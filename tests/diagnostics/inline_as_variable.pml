byte f;
inline f(a) { a = 1 }
active proctype P() {
  byte y;
  f = 1;
  f(y)
}
