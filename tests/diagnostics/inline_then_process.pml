inline P(a) { a = 1 }
active proctype P() {
  byte y;
  P(y)
}
