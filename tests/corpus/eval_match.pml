/* eval() in a receive compares with the value of a variable, also of an expression.
   expect: verdict=verified stored=14 matched=2 transitions=16 atomic=0 depth=11 errors=0
*/
chan q = [3] of { byte, byte };
byte me = 2, v;
active proctype P() { q!1,10; q!2,20; q!3,30 }
active proctype Q() { q??eval(me),v; assert(v == 20); q??eval(me + 1),v; assert(v == 30); q?eval(me - 1),v; assert(v == 10) }
