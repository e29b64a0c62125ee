/* Rendezvous over an element of a channel array passed as a parameter.
   expect: verdict=verified stored=11 matched=3 transitions=14 atomic=1 depth=10 errors=0
*/
chan c[2] = [0] of { byte };
proctype S(chan o; byte v) { o!v }
init { byte x, y; atomic { run S(c[0], 4); run S(c[1], 5) }; c[1]?x; c[0]?y; assert(x == 5 && y == 4) }
