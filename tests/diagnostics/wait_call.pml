byte x;
init { wait(x > 1) }
