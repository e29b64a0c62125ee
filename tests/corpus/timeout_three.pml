/* Three processes wait for timeout; each order is explored.
   expect: verdict=verified stored=27 matched=5 transitions=32 atomic=0 depth=9 errors=0
*/
byte n;
active [3] proctype P() { timeout; n++ }
