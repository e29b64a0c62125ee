#define N 3
active proctype P() {
  byte N;
  N = 2;
}
