byte a[3][3];
active proctype P() {
  a[1][2] = 1
}
