/* Division, remainder, shifts and bit operators on negative numbers.
   expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0
*/
int a = -7; short s = -1;
active proctype P() { assert(a / 2 == -3 && a % 3 == -1 && a >> 1 == -4 && (a & 3) == 1 && (a | 1) == -7 && (a ^ s) == 6 && ~a == 6); s = s << 3; assert(s == -8); s = -s; assert(s == 8 && !s == 0 && -s == -8) }
