byte x;
init { x = 1 unless x == 2 unless x == 3 }
