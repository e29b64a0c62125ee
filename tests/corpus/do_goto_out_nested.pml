/* goto out of two loops at once.
   expect: verdict=verified stored=22 matched=0 transitions=22 atomic=0 depth=21 errors=0
*/
byte a, b;
active proctype P() { do :: do :: a < 2 -> a++ :: a == 2 && b < 2 -> a = 0; b++ :: b == 2 && a == 2 -> goto out od od; out: assert(a + b == 4) }
