/* Expressions, array elements and fields in sends and receives.
   expect: verdict=verified stored=10 matched=0 transitions=10 atomic=0 depth=9 errors=0
*/
typedef T { byte v };
chan q = [2] of { byte, byte };
byte a[2]; T t;
active proctype P() { byte i; a[0] = 4; q!a[0] + 1,(a[0] > 3 -> 2 : 1); q?a[i],t.v; assert(a[0] == 5 && t.v == 2); i = 1; q!1,7; q?eval(i),a[i]; assert(a[1] == 7) }
