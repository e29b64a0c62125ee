/* A variable of an option is set at each pass.
   expect: verdict=verified stored=19 matched=0 transitions=19 atomic=0 depth=18 errors=0
*/
byte s;
active proctype P() { byte i; do :: i < 3 -> byte k; k++; s = s + k; i++ :: i == 3 -> break od; assert(s == 3) }
