int x = 0xFF;
init { x = 12ab }
