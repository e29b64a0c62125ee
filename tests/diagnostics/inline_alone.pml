byte x;
inline inc() { x = x + 1 }
active proctype P() {
  inc;
  skip
}
