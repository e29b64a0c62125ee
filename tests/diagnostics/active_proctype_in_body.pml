byte x;
active proctype P() {
  if
  :: x == 0 -> active proctype Q() { do :: x > 0 -> break od }
  :: else -> skip
  fi
}
