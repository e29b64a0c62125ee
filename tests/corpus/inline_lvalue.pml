/* Parameters of an inline are names: they can be assigned, indexed and used as fields.
   expect: verdict=verified stored=10 matched=0 transitions=10 atomic=0 depth=9 errors=0
*/
typedef T { byte f };
T s; byte a[2], x;
inline set(v, e) { v = e }
inline swap(p, q) { byte t; t = p; p = q; q = t }
active proctype P() { set(x, 3); set(a[x - 2], 4); set(s.f, a[1] + 1); swap(x, a[1]); assert(x == 4 && a[1] == 3 && s.f == 5) }
