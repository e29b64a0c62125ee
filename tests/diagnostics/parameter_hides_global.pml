byte x;
proctype Worker(byte x) {
  x = 2
}
init { run Worker(1) }
