/* expect: verdict=verified stored=1 matched=1 transitions=2 atomic=0 depth=0 errors=0 */
byte x; active proctype P(){ do :: x==0 od }
