byte x;
init { x = 1; asert(x == 1) }
