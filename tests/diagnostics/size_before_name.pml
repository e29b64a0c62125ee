byte[3] a;
init { a[0] = 1 }
