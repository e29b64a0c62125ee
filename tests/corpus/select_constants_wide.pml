/* No range is too wide for select.
   expect: verdict=verified stored=1064 matched=353 transitions=1417 atomic=0 depth=710 errors=0
*/
int x;
active proctype P() { select(x : 2147480647 .. 2147481000); x = 0 }
