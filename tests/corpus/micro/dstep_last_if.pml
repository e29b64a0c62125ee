/* expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0 */
byte x; active proctype P(){ d_step{ x=1; if :: x==1 -> x=2 :: else -> x=3 fi }; x=4 }
