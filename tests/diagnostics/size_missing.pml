byte a[];
init { a[0] = 1 }
