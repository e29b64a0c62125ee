/* Globals initialised by constant expressions, lists and earlier constants.
   expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0
*/
#define K 4
byte a = K * 2 + 1, b[3] = K, c = (K > 3 -> 7 : 8);
int big = 1 << 20; short neg = -(K + 1);
byte list[3] = { 1, 2, 3 };
active proctype P() { assert(a == 9 && b[2] == 4 && c == 7 && big == 1048576 && neg == -5); assert(list[0] + list[1] + list[2] == 6) }
