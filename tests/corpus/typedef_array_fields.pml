/* Arrays of structs with array fields indexed by expressions and by elements.
   expect: verdict=verified stored=8 matched=0 transitions=8 atomic=0 depth=7 errors=0
*/
typedef R { byte c[3]; short s };
R m[2]; byte ix[2];
active proctype P() { ix[1] = 1; m[ix[1]].c[ix[0] + 2] = 8; m[m[1].c[2] - 8].s = -9; assert(m[0].s == -9 && m[1].c[2] == 8); m[0].c[m[1].c[2] % 3]++ ; assert(m[0].c[2] == 1) }
