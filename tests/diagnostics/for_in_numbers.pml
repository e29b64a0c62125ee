init { byte i; for (i in 0 .. 3) { skip } }
