/* The escapes of one unless are options of an if, tried in reverse order.
   expect: verdict=verified stored=36 matched=26 transitions=62 atomic=0 depth=8 errors=0
*/
byte a, b, r;
active proctype P() { { (false) } unless { if :: a -> r = 1 :: b -> r = 2 fi }; assert(r) }
active proctype Q() { a = 1 }
active proctype R() { b = 1 }
