/* Macros with and without arguments, conditional text, and undefined names.
   expect: verdict=verified stored=5 matched=0 transitions=5 atomic=0 depth=4 errors=0
*/
#define N 3
#define sq(x) ((x) * (x))
#ifdef N
#define LIMIT 9
#else
#define LIMIT 1
#endif
#undef N
#if !defined(N) && LIMIT > 2 * 4
byte v = LIMIT;
#endif
active proctype P() { assert(v == 9); v = sq(v - 6); assert(v == 9) }
