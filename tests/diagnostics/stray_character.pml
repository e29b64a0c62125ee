byte x;
init { x = x $ 1 }
