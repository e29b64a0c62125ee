byte a = { 1, 2 };
byte b[2] = { -1, 2 };
init { skip }
