/* break leaves the innermost do only.
   expect: verdict=verified stored=22 matched=0 transitions=22 atomic=0 depth=21 errors=0
*/
byte a, b;
active proctype P() { do :: a < 3 -> do :: b < a -> b++ :: b >= a -> break od; a++ :: a == 3 -> do :: b > 0 -> b-- :: b == 0 -> break od; break od; assert(b == 0) }
