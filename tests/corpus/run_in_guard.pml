/* run as the guard of an option.
   expect: verdict=verified stored=35 matched=26 transitions=61 atomic=0 depth=12 errors=0
*/
byte n;
proctype W() { n++ }
init { byte k; do :: k == 2 -> break :: run W() -> k++; if :: k == 2 -> break :: else fi od; (n == 2) }
