byte x;
init { x = 1.5 }
