/* expect: verdict=verified stored=13 matched=0 transitions=13 atomic=0 depth=12 errors=0 */
hidden byte h; byte x; active proctype P(){ do :: x<3 -> x++; h++ :: else -> break od; h=0 }
