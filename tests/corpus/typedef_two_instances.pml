/* A local struct in two instances of one proctype.
   expect: verdict=verified stored=31 matched=20 transitions=51 atomic=0 depth=10 errors=0
*/
typedef T { byte a; byte b[2] };
byte done;
active [2] proctype P() { T t; t.b[_pid] = _pid + 1; t.a = t.b[0] + t.b[1]; done = done + t.a; assert(t.a == _pid + 1) }
