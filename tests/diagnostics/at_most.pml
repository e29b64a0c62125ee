byte x;
init { (x =< 3) }
