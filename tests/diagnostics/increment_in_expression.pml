byte x, y;
init { y = x++ }
