/* A struct goes through a channel as a whole.
   expect: verdict=verified stored=17 matched=4 transitions=21 atomic=0 depth=12 errors=0
*/
typedef M { byte a; short b; bit c[2] };
chan q = [2] of { M, byte };
active proctype S() { M m; m.a = 1; m.b = -2; m.c[1] = 1; q!m,9; m.a = 2; q!m,8 }
active proctype R() { M m; byte t; q?m,t; assert(m.a == 1 && m.b == -2 && m.c[1] && !m.c[0] && t == 9); q?m,t; assert(m.a == 2 && t == 8) }
