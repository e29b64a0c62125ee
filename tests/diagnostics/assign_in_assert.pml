byte x;
init { assert(x = 1) }
