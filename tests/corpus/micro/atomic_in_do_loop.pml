/* expect: verdict=verified stored=3 matched=0 transitions=3 atomic=8 depth=10 errors=0 */
byte x; active proctype P(){ atomic { do :: x<3 -> x++ :: x==3 -> break od } }
