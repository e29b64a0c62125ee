/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=7 depth=10 errors=0 */
byte x; active proctype P(){ atomic{ x=1; do :: x<3 -> x++ :: else -> break od }; x=9 }
