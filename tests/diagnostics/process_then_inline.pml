active proctype P() {
  skip
}
inline P(a) { a = 1 }
