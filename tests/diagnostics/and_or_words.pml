bool a, b;
init { if :: a and b -> skip :: not a -> skip fi }
