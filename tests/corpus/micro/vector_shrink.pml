/* expect: verdict=verified stored=15 matched=0 transitions=15 atomic=0 depth=14 errors=0 */
byte x; proctype A(){ byte a; a=1 } init{ do :: x<2 -> run A(); (_nr_pr==1); x++ :: x==2 -> break od }
