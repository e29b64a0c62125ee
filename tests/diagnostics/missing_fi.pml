byte x;
active proctype P() {
    if
    :: x == 1 -> x = 2
    :: else -> skip
}
active proctype Q() {
    x = 3
}
