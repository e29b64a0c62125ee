byte x;
init { select(x = 1 .. 3) }
