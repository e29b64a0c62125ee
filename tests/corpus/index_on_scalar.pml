/* An index 0 on what is no array means nothing.
   expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0
*/
typedef T { byte a };
byte x;
T t;
chan q = [1] of { byte };
active proctype P() { byte y; x[0] = 1; t.a[0] = x[0]; q[0]!2; q?y[0]; assert(x == 1 && t.a == 1 && y == 2) }
