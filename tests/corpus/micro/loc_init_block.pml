/* expect: verdict=verified stored=18 matched=0 transitions=18 atomic=0 depth=17 errors=0 */
byte i; active proctype A(){ do :: i<3 -> { byte k=5; k=k+1; i++; printf("k %d\n",k) } :: else -> break od }
