/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0 */
byte x; active proctype P(){ d_step{ do :: x<5 -> x++ :: else -> break od; x=x+10 }; x=1 }
