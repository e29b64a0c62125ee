/* expect: verdict=verified stored=9 matched=1 transitions=10 atomic=0 depth=8 errors=0 */
byte x; active proctype P(){ do :: do :: x<2 -> x++ :: x>=2 -> break od :: x==2 -> break od; x=10 }
