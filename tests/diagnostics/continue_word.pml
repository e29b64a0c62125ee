byte x;
init { do :: x < 3 -> x++; continue :: else -> break od }
