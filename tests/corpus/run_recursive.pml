/* A process runs itself: a chain of three, which dies from the youngest.
   expect: verdict=verified stored=55 matched=56 transitions=111 atomic=0 depth=17 errors=0
*/
byte depth;
proctype P(byte n) { if :: n > 0 -> run P(n - 1); depth++ :: n == 0 -> skip fi }
init { run P(3) }
