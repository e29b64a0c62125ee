byte x;
init { if :: x => 3 -> skip :: else fi }
