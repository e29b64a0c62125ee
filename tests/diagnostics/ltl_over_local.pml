active proctype P() {
  byte x;
  x = 1
}
ltl p { [] (x < 2) }
