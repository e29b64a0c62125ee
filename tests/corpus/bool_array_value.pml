/* An element of a bool array keeps a larger value; a scalar does not.
   expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0
*/
bool a[2], s;
active proctype P() { a[0] = 2; s = 2; assert(a[0] == 2 && s == 0); a[1] = a[0] + 255; assert(a[1] == 1) }
