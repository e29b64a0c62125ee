mtype = { red = 1, green = 2 };
init { skip }
