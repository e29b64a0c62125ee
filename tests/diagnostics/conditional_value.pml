byte x, y;
init { y = x == 1 ? 2 : 3 }
