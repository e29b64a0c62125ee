byte x;
init { x = 2**3 }
