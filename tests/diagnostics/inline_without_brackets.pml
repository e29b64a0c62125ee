byte x;
inline inc(a) { a = a + 1 }
active proctype P() {
  inc x;
  skip
}
