/* run as an expression gives the pid, in an assignment and in a guard.
   expect: verdict=verified stored=81 matched=68 transitions=149 atomic=0 depth=12 errors=0
*/
pid p;
proctype A(byte k) { k++ }
init { p = run A(5); assert(p == 1); (run A(6)) ; p = run A(7); assert(p >= 1 && p <= 3) }
