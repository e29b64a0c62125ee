/* Channel ids as numbers: assigned to a byte and back.
   expect: verdict=verified stored=7 matched=0 transitions=7 atomic=0 depth=6 errors=0
*/
chan a = [1] of { byte };
chan b = [1] of { byte };
byte n;
active proctype P() { n = b; b!3; assert(n == 2 && a == 1); a!n; a?n }
