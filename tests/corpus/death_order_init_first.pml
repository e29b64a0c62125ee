/* init finishes first and stays until everybody else has gone.
   expect: verdict=verified stored=45 matched=30 transitions=75 atomic=1 depth=15 errors=0
*/
proctype W() { byte i; do :: i < 2 -> i++ :: else -> break od }
init { atomic { run W(); run W() } }
