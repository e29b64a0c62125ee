/* A long array of bits: each element is a byte in the state.
   expect: verdict=verified stored=124 matched=0 transitions=124 atomic=0 depth=123 errors=0
*/
bit b[40];
active proctype P() { byte i; do :: i < 40 -> b[i] = i % 2; i++ :: else -> break od; assert(b[39] == 1 && b[38] == 0) }
