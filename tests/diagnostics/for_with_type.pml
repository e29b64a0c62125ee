init { for (byte i : 0 .. 3) { skip } }
