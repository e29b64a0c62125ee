/* ifs nested as first statements are options of one location.
   expect: verdict=verified stored=11 matched=0 transitions=11 atomic=0 depth=4 errors=0
*/
byte x, r;
active proctype P() { if :: if :: if :: r = 1 :: r = 2 fi :: x == 0 -> r = 3 fi :: x == 1 -> r = 4 fi; assert(r != 4) }
