byte x;
active proctype P() {
  x <> 3;
  skip
}
