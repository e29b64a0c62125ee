#define N 3;
byte a[N];
byte x;
init { x = N + 1 }
