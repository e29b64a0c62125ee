/* A process that keeps starting others until a bound.
   expect: verdict=verified stored=18 matched=0 transitions=18 atomic=0 depth=17 errors=0
*/
byte alive;
proctype W() { alive++; if :: alive < 4 -> run W() :: alive >= 4 fi }
init { run W() }
