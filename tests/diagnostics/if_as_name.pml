byte if;
byte x;
init { x = 1 }
