/* expect: verdict=verified stored=10 matched=2 transitions=12 atomic=0 depth=7 errors=0 */
byte x; active proctype P(){ do :: x<2 -> x++ :: break od; x=9 }
