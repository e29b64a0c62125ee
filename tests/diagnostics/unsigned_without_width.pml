unsigned u;
byte b : 3;
init { u = b }
