byte x;
active proctype P() {
  y = 1
}
