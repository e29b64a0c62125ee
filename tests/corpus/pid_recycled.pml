/* A second instance gets the pid of the first once that has died; both orders must be seen (SPIN's
   reduction misses the violation).
   expect: verdict=violated stored=12 matched=4 transitions=16 atomic=0 depth=7 errors=2
*/
proctype g() { assert(_pid == 1) }
init { run g(); run g() }
