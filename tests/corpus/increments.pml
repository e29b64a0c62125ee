/* ++ and -- on elements and fields, up to the wrap.
   expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0
*/
typedef T { byte f; bit g };
T t[2]; byte a[2] = 255;
active proctype P() { a[1]++; t[1].f--; t[0].g++; t[0].g++; assert(a[1] == 0 && t[1].f == 255 && t[0].g == 0) }
