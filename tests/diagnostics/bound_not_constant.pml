byte n = 3;
byte a[n == 3];
chan q = [1 << 2] of { byte };
init { skip }
